/**
 * The sitemap. An edge writes it at most once in `SITEMAP_KEPT_SECONDS`. Concurrent requests wait for the one that
 * writes it, which yields between parts.
 */
import { Effect, Semaphore } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import { SITEMAP_KEPT_SECONDS, SITEMAP_TYPE, SitemapPages } from "../../schemas/sitemap/pages.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { type Document, documentOf, serveDocument } from "../http/documents.ts"
import { PAGES } from "../http/endpoints.ts"
import { pagesOf } from "../http/handlers.ts"
import { inPlace } from "../http/in-place.ts"
import type { Refused } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { addressesOf, BEGIN, END, written } from "./addresses.ts"

const PART = 500
const SECOND_MS = 1000

const PATHS = PAGES.filter(({ method }) => method === "GET").map(({ path }) => path)

const beingWritten: Refusal = {
  code: "overloaded",
  message: "The sitemap is being written. Try again in a little while.",
  retryAfter: 2
}

class Sitemap {
  private readonly bus: Bus
  private readonly baseUrl: string
  private readonly writing = Semaphore.makeUnsafe(1)
  private kept: { readonly document: Document; readonly until: number } | null = null

  constructor(bus: Bus, baseUrl: string) {
    this.bus = bus
    this.baseUrl = baseUrl
  }

  document(call: Call): Effect.Effect<Document, Refused> {
    return inPlace(
      call,
      this.writing,
      beingWritten,
      Effect.suspend(() =>
        this.kept !== null && call.startedAt < this.kept.until ? Effect.succeed(this.kept.document) : this.write(call)
      )
    )
  }

  private readonly write = Effect.fnUntraced(
    { self: this as Sitemap },
    function* (this: Sitemap, call: Call): Effect.fn.Return<Document, Refused> {
      const addresses = addressesOf(PATHS, yield* this.bus.query(call, "sitemap", null))
      const parts: Array<string> = []
      for (let at = 0; at < addresses.length; at += PART) {
        parts.push(
          addresses
            .slice(at, at + PART)
            .map((address) => written(this.baseUrl, address))
            .join("")
        )
        yield* Effect.yieldNow
      }
      const document = documentOf(BEGIN + parts.join("") + END, SITEMAP_TYPE)
      this.kept = { document, until: call.startedAt + SITEMAP_KEPT_SECONDS * SECOND_MS }
      return document
    }
  )
}

export const pages = ({ bus, config: { hub } }: EdgeParts) => {
  const sitemap = new Sitemap(bus, hub.baseUrl)
  return pagesOf(SitemapPages, {
    sitemap: (call) => Effect.map(sitemap.document(call), (document) => serveDocument(call, document))
  })
}
