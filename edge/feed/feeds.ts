/**
 * Builds feeds and caches them.
 *
 * Invariants
 *  - A request for an unchanged feed that is cached reads only the feed's version, and no text.
 *  - One feed is written at a time, entry by entry, so that other requests are served in between. The number of waiting
 *    requests is limited, also for one client. Further ones are refused for now.
 *  - A rendered entry is cached for all feeds that contain it. A text whose HTML is longer than `ENTRY_HTML_MAX_CHARS`
 *    is shown as it was written.
 *  - Cached feeds expire, so that a text that could not be rendered in time is tried again.
 *  - The entity tag is a hash of the bytes, so it is strong on every edge.
 */
import { Effect, Semaphore } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import { JSON_FEED_TYPE } from "../../schemas/feed/api.ts"
import { ATOM_TYPE } from "../../schemas/feed/pages.ts"
import type { FeedEntry } from "../../schemas/feed/records.ts"
import type { Bus } from "../bus/bus.ts"
import type { AgentMarkdown } from "../kit/agent-markdown.ts"
import { html } from "../kit/html.ts"
import type { Call } from "../http/call.ts"
import { ByteCache } from "../http/byte-cache.ts"
import { entityTag } from "../http/documents.ts"
import { GenerationCache } from "../http/generation-cache.ts"
import { inPlace } from "../http/in-place.ts"
import { isUnchanged, lastModified } from "../http/last-modified.ts"
import type { Refused } from "../http/refused.ts"
import { empty, type Response } from "../http/respond.ts"
import { Shares } from "../http/shares.ts"
import { type About, type Form, mediaTypeOf, pageOf, feedText } from "./feed.ts"

export const KEPT_MAX_BYTES = 33_554_432
/** The cache holds at most twice as many rendered entries. */
const ENTRIES_KEPT_MAX = 128
const ENTRY_HTML_MAX_CHARS = 60_000
const WAITING_MAX = 64
const CLIENT_WAITING_MAX = 7
const KEPT_MS = 600_000

interface WrittenFeed {
  /** The version of its content. For another version the feed must be written again. */
  readonly version: string
  readonly bytes: Buffer
  readonly etag: string
}

const tooMany: Refusal = {
  code: "overloaded",
  message: "Many feeds are being written at the moment. Ask again in a little while.",
  retryAfter: 2
}

export class Feeds {
  private readonly bus: Pick<Bus, "query">
  private readonly baseUrl: string
  private readonly markdown: AgentMarkdown
  private readonly kept = new ByteCache<WrittenFeed>(KEPT_MAX_BYTES, ({ bytes }) => bytes.length)
  private readonly entries = new GenerationCache<string, string>(ENTRIES_KEPT_MAX)
  private readonly writing = Semaphore.makeUnsafe(1)
  private readonly waiting = new Shares(WAITING_MAX, CLIENT_WAITING_MAX)

  constructor(bus: Pick<Bus, "query">, baseUrl: string, markdown: AgentMarkdown) {
    this.bus = bus
    this.baseUrl = baseUrl
    this.markdown = markdown
  }

  serve(call: Call, about: About, form: Form): Effect.Effect<Response, Refused> {
    return Effect.flatMap(this.bus.query(call, "feed_standing", about.scope), ({ version, updated_at }) =>
      Effect.map(this.written(call, about, form, version), (feed) => {
        call.headers["link"] = linksOf(about)
        return answer(call, form, feed, updated_at)
      })
    )
  }

  private written(call: Call, about: About, form: Form, version: string): Effect.Effect<WrittenFeed, Refused> {
    const name = JSON.stringify([form.contentType, about])
    const epoch = Math.floor(call.startedAt / KEPT_MS)
    const find = () => {
      const kept = this.kept.get(name)
      return kept?.version === `${version} ${epoch}` ? kept : undefined
    }
    const found = find()
    if (found !== undefined) return Effect.succeed(found)
    return this.waiting.within(
      call,
      tooMany,
      inPlace(
        call,
        this.writing,
        tooMany,
        Effect.suspend(() => {
          const meanwhile = find()
          return meanwhile === undefined ? this.write(call, about, form, { name, epoch }) : Effect.succeed(meanwhile)
        })
      )
    )
  }

  private readonly write = Effect.fnUntraced(
    { self: this as Feeds },
    function* (
      this: Feeds,
      call: Call,
      about: About,
      form: Form,
      { name, epoch }: { readonly name: string; readonly epoch: number }
    ): Effect.fn.Return<WrittenFeed, Refused> {
      const { version, updated_at, entries } = yield* this.bus.query(call, "feed", about.scope)
      const pieces: Array<string> = []
      for (const entry of entries) {
        const laidOut = this.laidOut(entry, epoch)
        yield* Effect.yieldNow
        pieces.push(form.entry(this.baseUrl, entry, laidOut))
        yield* Effect.yieldNow
      }
      const bytes = Buffer.from(form.begin(about, updated_at) + pieces.join(form.between) + form.end)
      yield* Effect.yieldNow
      const written = { version: `${version} ${epoch}`, bytes, etag: entityTag(bytes) }
      this.kept.set(name, written)
      return written
    }
  )

  private laidOut(entry: FeedEntry, epoch: number): string {
    const name = `${entry.type} ${entry.id} ${entry.updated_at} ${epoch}`
    const known = this.entries.get(name)
    if (known !== undefined) return known
    const rendered = this.markdown.render(entry.text).text
    const text = rendered.length > ENTRY_HTML_MAX_CHARS ? html`<pre dir="auto">${feedText(entry)}</pre>`.text : rendered
    const more = entry.cut ? html`<p><a href="${pageOf(this.baseUrl, entry)}">Read on</a></p>`.text : ""
    this.entries.set(name, text + more)
    return text + more
  }
}

/**
 * Links to the feed in its other format, and to the page for people (RFC 8288), so that a program need not parse the
 * feed to find them.
 */
const linksOf = ({ page, json, atom }: About): string =>
  [
    [page, "text/html"],
    [json, mediaTypeOf(JSON_FEED_TYPE)],
    [atom, mediaTypeOf(ATOM_TYPE)]
  ]
    .map(([address, type]) => `<${address}>; rel="alternate"; type="${type}"`)
    .join(", ")

const answer = (
  call: Call,
  { contentType }: Form,
  { bytes, etag }: WrittenFeed,
  updatedAt: string | null
): Response => {
  const modified = updatedAt === null ? null : lastModified(Date.parse(updatedAt), call.startedAt)
  call.headers["etag"] = etag
  if (modified !== null) call.headers["last-modified"] = modified
  if (isUnchanged(call, etag, modified)) return empty(304)
  return {
    status: 200,
    headers: { "content-type": contentType, "content-length": String(bytes.length) },
    body: bytes
  }
}
