/** Replies to threads (spec 4.6; contract 2, 19). */
import { Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import { replyAddress } from "../../schemas/content/address.ts"
import type { Caller } from "../../schemas/content/author.ts"
import { AcceptReply, EDITABLE_FIELDS, EditReply, ReplyApi, WriteReply } from "../../schemas/reply/api.ts"
import type { Reply } from "../../schemas/reply/records.ts"
import { parse } from "../bus/bus.ts"
import { viewerOf, visible } from "../content/reading.ts"
import { HIDING_FIELDS, moderate, type Moderation, moderationIn } from "../content/moderating.ts"
import { standing } from "../content/standing.ts"
import { mentionsIn } from "../content/mentions.ts"
import { admitted, changeIn, numberOf, textsChecked } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder, valueDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import type { Refused } from "../http/refused.ts"
import { dataBytes, dataItems, dataValue } from "../http/respond.ts"
import { own } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeWritten = bodyDecoder(WriteReply)
const decodeEdit = valueDecoder(EditReply)
const decodeAccept = bodyDecoder(AcceptReply)

const NO_FIELDS = Buffer.from("{}")

export const replyRoutes = ({ bus, lists, config: { hub } }: EdgeParts) => {
  const { baseUrl } = hub

  const shown = (call: Call, id: number): Effect.Effect<Reply, Refused> =>
    Effect.flatMap(bus.query(call, "reply", { id, viewer: viewerOf(call) }), (found) =>
      visible(bus, call, "reply", found)
    )

  const toChange = (call: Call, id: number, by: Caller): Effect.Effect<Reply, Refused> =>
    standing(bus, call, { noun: "reply", id, by }, shown(call, id))

  const hide = (call: Call, reply: string, moderation: Moderation) =>
    Effect.gen(function* () {
      const id = yield* numberOf("reply", reply)
      const by = yield* admitted(bus, call)
      // This is checked first: a reply in a thread that the caller cannot see does not exist for the caller.
      yield* toChange(call, id, by)
      return dataValue(yield* moderate(bus, call, { noun: "reply", id, by }, moderation, shown(call, id)))
    })

  return routesOf(ReplyApi, {
    listReplies: (call, { params, query }) =>
      Effect.gen(function* () {
        const thread = yield* numberOf("thread", params.id)
        const page = pageOf(query, hub.limits)
        const sort = query.sort ?? query.replies_sort ?? "oldest"
        const viewer = viewerOf(call)
        const { items, total } = yield* lists.page(call, "replies", { ...page, thread, sort, viewer })
        // An empty list may mean that the thread does not exist.
        if (total === 0) yield* visible(bus, call, "thread", yield* bus.query(call, "thread", { id: thread, viewer }))
        return dataItems(items, pageMeta(page, total))
      }),
    reply: (call, { params }) =>
      Effect.gen(function* () {
        const { body, parent_id = null } = yield* decodeWritten(call)
        yield* textsChecked(call, { body })
        const thread = yield* numberOf("thread", params.id)
        const mentions = yield* mentionsIn(bus, call, body)
        const {
          id,
          created_at,
          author,
          thread_title = ""
        } = parse<Operations["reply.write"]["output"]>(
          yield* own(bus, call, "reply.write", { thread, parent: parent_id, body, mentions })
        )
        const reply: Reply = {
          id,
          thread_id: thread,
          parent_id,
          body,
          author,
          score: 0,
          upvotes: 0,
          downvotes: 0,
          my_vote: null,
          accepted: false,
          deleted: false,
          created_at,
          edited_at: null,
          url: replyAddress(baseUrl, { id: thread, title: thread_title }, id)
        }
        return dataValue(reply, 201)
      }),
    getReply: (call, { params }) =>
      Effect.gen(function* () {
        return dataValue(yield* shown(call, yield* numberOf("reply", params.id)))
      }),
    editReply: (call, { params }) =>
      Effect.gen(function* () {
        const asked = yield* changeIn(call, [...EDITABLE_FIELDS, ...HIDING_FIELDS])
        const moderation = yield* moderationIn(call, asked, EDITABLE_FIELDS)
        if (moderation !== null) return yield* hide(call, params.id, moderation)
        const { body } = yield* decodeEdit(call, asked)
        yield* textsChecked(call, { body })
        const id = yield* numberOf("reply", params.id)
        const by = yield* admitted(bus, call)
        const mentions = yield* mentionsIn(bus, call, body)
        const before = yield* toChange(call, id, by)
        const input = { by, body, mentions }
        const { edited_at } = yield* bus.read(call, { actor: params.id, op: "reply.edit", input })
        return dataValue({ ...before, body, edited_at })
      }),
    deleteReply: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("reply", params.id)
        const by = yield* admitted(bus, call)
        const asked = bus.ask(call, { actor: String(id), op: "reply.delete", input: { by } })
        // The author may delete a reply that is hidden, so the actor is asked first. Others learn that it exists only
        // if they can see it.
        const deleted = Effect.catchIf(
          asked,
          ({ refusal: { code } }) => code === "not_author",
          (refused) => Effect.andThen(toChange(call, id, by), Effect.fail(refused))
        )
        return dataBytes(yield* deleted)
      }),
    acceptReply: (call, { params }) =>
      Effect.gen(function* () {
        const { accepted = true } = yield* decodeAccept(call, call.body.length === 0 ? NO_FIELDS : call.body)
        const reply = yield* numberOf("reply", params.id)
        const by = yield* admitted(bus, call)
        const before = yield* toChange(call, reply, by)
        const actor = String(before.thread_id)
        const input = { by, reply, accepted }
        const { accepted_reply_id } = yield* bus.read(call, { actor, op: "thread.accept", input })
        return dataValue({ ...before, accepted: accepted_reply_id === reply })
      })
  })
}
