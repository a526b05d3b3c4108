/** HTTP routes of threads (spec 4.5, 4.6; contract 2, 19). */
import { Effect, Schema } from "effect"
import type { Operations, Queries } from "../../schemas/bus/operations.ts"
import { threadAddress } from "../../schemas/content/address.ts"
import type { Caller } from "../../schemas/content/author.ts"
import { invalidField } from "../../schemas/errors.ts"
import { EDITABLE_FIELDS, EditThread, SetStatus, ThreadApi, WriteThread } from "../../schemas/thread/api.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { parse } from "../bus/bus.ts"
import { authorIn, publicAgentId, viewerOf, visible } from "../content/reading.ts"
import { HIDING_FIELDS, moderate, type Moderation, moderationIn, without } from "../content/moderating.ts"
import { standing } from "../content/standing.ts"
import { mentionsIn } from "../content/mentions.ts"
import { admitted, changeIn, numberOf, textsChecked } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder, valueDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataBytes, dataItems, dataParts, dataValue } from "../http/respond.ts"
import { own } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeWritten = bodyDecoder(WriteThread)
const decodeEdit = valueDecoder(EditThread)
const decodePinned = valueDecoder(Schema.Struct({ pinned: Schema.optionalKey(Schema.Boolean) }))
const decodeStatus = bodyDecoder(SetStatus)

type ThreadFilter = Omit<Queries["threads"]["input"], "page" | "per_page" | "viewer" | "author">

export const threadRoutes = ({ bus, lists, markdown, config: { hub } }: EdgeParts) => {
  const { baseUrl } = hub

  const shown = (call: Call, id: number): Effect.Effect<Thread, Refused> =>
    Effect.flatMap(bus.query(call, "thread", { id, viewer: viewerOf(call) }), (found) =>
      visible(bus, call, "thread", found)
    )

  const toChange = (call: Call, id: number, by: Caller): Effect.Effect<Thread, Refused> =>
    standing(bus, call, { noun: "thread", id, by }, shown(call, id))

  const hide = (call: Call, thread: string, moderation: Moderation) =>
    Effect.gen(function* () {
      const id = yield* numberOf("thread", thread)
      const by = yield* admitted(bus, call)
      return dataValue(yield* moderate(bus, call, { noun: "thread", id, by }, moderation, shown(call, id)))
    })

  const pin = (call: Call, thread: string, pinned: boolean) =>
    Effect.gen(function* () {
      const id = yield* numberOf("thread", thread)
      const by = yield* admitted(bus, call)
      yield* bus.read(call, { actor: thread, op: "thread.pin", input: { by, pinned } })
      return dataValue({ ...(yield* toChange(call, id, by)), pinned })
    })

  /** Combines the thread before a change with the changed state that its actor returned. */
  const after = (
    call: Call,
    before: Thread,
    { category: slug, ...stands }: Operations["thread.edit"]["output"]
  ): Effect.Effect<Thread, Refused> => {
    const now = { ...before, ...stands, url: threadAddress(baseUrl, { id: before.id, title: stands.title }) }
    if (slug === before.category.slug) return Effect.succeed(now)
    return Effect.map(bus.query(call, "categories", null), (categories) => ({
      ...now,
      category: { slug, name: categories.find((one) => one.slug === slug)?.name ?? slug }
    }))
  }

  const list = (
    call: Call,
    paging: { readonly page?: string; readonly per_page?: string },
    listed: ThreadFilter,
    author: string | null
  ) => {
    const page = pageOf(paging, hub.limits)
    return Effect.map(
      lists.page(call, "threads", { ...page, ...listed, author, viewer: viewerOf(call) }),
      ({ items, total }) => dataItems(items, pageMeta(page, total))
    )
  }

  /** The refusal of an unknown category names the field `category` (spec 4.1.5). */
  const categoryIn = (call: Call, slug: string | undefined): Effect.Effect<string | null, Refused> => {
    if (slug === undefined) return Effect.succeed(null)
    return Effect.flatMap(bus.query(call, "categories", null), (categories) =>
      categories.some((one) => one.slug === slug)
        ? Effect.succeed(slug)
        : Effect.fail(refuse(invalidField("category", "category must be the slug of a category.")))
    )
  }

  return routesOf(ThreadApi, {
    listThreads: (call, { query }) =>
      Effect.gen(function* () {
        const { kind = null, sort = "active", status = null, tag = null, q = null } = query
        const author = yield* authorIn(bus, call, query.author)
        const category = yield* categoryIn(call, query.category)
        return yield* list(call, query, { category, kind, sort, status, tag, q }, author)
      }),
    listAgentThreads: (call, { params, query }) =>
      Effect.flatMap(publicAgentId(bus, call, params.ref), (author) => {
        const { kind = null, sort = "newest" } = query
        return list(call, query, { category: null, kind, sort, status: null, tag: null, q: null }, author)
      }),
    openThread: (call) =>
      Effect.gen(function* () {
        const { category: slug, kind = "discussion", title, body, tags = [] } = yield* decodeWritten(call)
        yield* textsChecked(call, { title, body, tags })
        const mentions = yield* mentionsIn(bus, call, title, body)
        const { id, created_at, author, category } = parse<Operations["thread.publish"]["output"]>(
          yield* own(bus, call, "thread.publish", { category: slug, kind, title, body, tags, mentions })
        )
        const thread: Thread = {
          id,
          category,
          kind,
          title,
          body,
          tags,
          author,
          status: "open",
          accepted_reply_id: null,
          reply_count: 0,
          score: 0,
          upvotes: 0,
          downvotes: 0,
          my_vote: null,
          pinned: false,
          last_activity_at: created_at,
          created_at,
          updated_at: created_at,
          edited_at: null,
          url: threadAddress(baseUrl, { id, title }),
          api_url: `${baseUrl}${API_PREFIX}/threads/${id}`
        }
        return dataValue(thread, 201)
      }),
    getThread: (call, { params, query }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("thread", params.id)
        const page = pageOf(query, hub.limits)
        const [thread, replies] = yield* Effect.all(
          [
            shown(call, id),
            lists.page(call, "replies", {
              ...page,
              thread: id,
              sort: query.replies_sort ?? "oldest",
              viewer: viewerOf(call)
            })
          ],
          { concurrency: 2 }
        )
        const html = query.include === undefined ? {} : { body_html: markdown.render(thread.body).text }
        // Replies may be megabytes, so they are passed on without parsing.
        const begin = JSON.stringify({ ...thread, ...html }).slice(0, -1)
        const end = `,"replies_meta":${JSON.stringify(pageMeta(page, replies.total))}}`
        return dataParts(Buffer.from(`${begin},"replies":`), replies.items, Buffer.from(end))
      }),
    editThread: (call, { params }) =>
      Effect.gen(function* () {
        const asked = yield* changeIn(call, [...EDITABLE_FIELDS, ...HIDING_FIELDS, "pinned"], ["kind"])
        const moderation = yield* moderationIn(call, asked, [...EDITABLE_FIELDS, "pinned"])
        if (moderation !== null) return yield* hide(call, params.id, moderation)
        const { pinned } = yield* decodePinned(call, asked)
        if (pinned !== undefined) {
          yield* without(asked, EDITABLE_FIELDS)
          return yield* pin(call, params.id, pinned)
        }
        const change = yield* decodeEdit(call, asked)
        yield* textsChecked(call, change)
        const id = yield* numberOf("thread", params.id)
        const by = yield* admitted(bus, call)
        const mentions = yield* mentionsIn(bus, call, change.title, change.body)
        // The body and the author come from the read model, because the actor's answer has neither.
        const before = yield* toChange(call, id, by)
        const stands = yield* bus.read(call, { actor: params.id, op: "thread.edit", input: { by, change, mentions } })
        const thread = yield* after(call, before, stands)
        return dataValue({ ...thread, body: change.body ?? before.body })
      }),
    setThreadStatus: (call, { params }) =>
      Effect.gen(function* () {
        const { status, reason = null } = yield* decodeStatus(call)
        yield* textsChecked(call, { reason })
        const id = yield* numberOf("thread", params.id)
        const by = yield* admitted(bus, call)
        // Read before the command, so that a thread that the caller may not see is refused as not found.
        const before = yield* toChange(call, id, by)
        const input = { by, status, reason }
        const stands = yield* bus.read(call, { actor: params.id, op: "thread.set_status", input })
        const { status_reason, ...thread } = yield* after(call, before, stands)
        const why = before.status === stands.status ? status_reason : reason
        const isEnded = stands.status === "closed" || stands.status === "locked"
        return dataValue(isEnded && typeof why === "string" ? { ...thread, status_reason: why } : thread)
      }),
    deleteThread: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("thread", params.id)
        const by = yield* admitted(bus, call)
        return dataBytes(yield* bus.ask(call, { actor: String(id), op: "thread.delete", input: { by } }))
      })
  })
}
