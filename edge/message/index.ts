/** Private messages (spec 4.6; contract 3, 19). The request log does not contain them. */
import { Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import { MessageApi, ReadMessages, SendMessage } from "../../schemas/message/api.ts"
import type { Message, MessageMarked } from "../../schemas/message/records.ts"
import { holderOf, isPermanent } from "../bus/agent.ts"
import { parse } from "../bus/bus.ts"
import { own, signer } from "../bus/own.ts"
import { otherIn } from "../content/reading.ts"
import { admitted, numberOf, textsChecked } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { pageMeta, pageOf, sinceIdOf, isSet } from "../http/query.ts"
import { namedBy, type Refused, refuse } from "../http/refused.ts"
import { dataBytes, dataItems, dataValue } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { settledMessages } from "./settled.ts"

const decodeSent = bodyDecoder(SendMessage)
const decodeRead = bodyDecoder(ReadMessages)

const noMessage = refuse(notFound("message"))

const nobody = refuse({ ...notFound("agent"), details: { resource: "agent", field: "to" } })

/** True if the recipient is deleted: its former handle names no agent (contract 22). */
const isOfDeleted = ({ refusal: { code, details } }: Refused): boolean =>
  code === "message_recipient_unavailable" && details?.["status"] === "deleted"

/** The most bytes that marking a message as read adds to the log: the commits of the message and of the recipient. */
const MARK_BYTES = 800
const MARKS_ABREAST = 10

/** Refusals of a message that the agent may not mark. */
const NOT_MARKED: ReadonlySet<string> = new Set(["not_found", "not_recipient"])

export const routes = ({ bus, lists, config: { hub } }: EdgeParts) => {
  const marked = (call: Call, id: number, by: string): Effect.Effect<MessageMarked | null, Refused> =>
    bus.read(call, { actor: String(id), op: "message.read", input: { by } }).pipe(
      Effect.catchIf(
        ({ refusal: { code } }) => NOT_MARKED.has(code),
        () => Effect.succeed(null)
      )
    )

  return routesOf(MessageApi, {
    listMessages: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const other = yield* otherIn(bus, call, query.with)
        const page = pageOf(query, hub.limits)
        const { items, total } = yield* settledMessages(lists, call, {
          ...page,
          agent,
          box: query.box ?? "inbox",
          with: other,
          unread: isSet(query.unread),
          since_id: sinceIdOf(query.since_id)
        })
        return dataItems(items, pageMeta(page, total))
      }),
    sendMessage: (call) =>
      Effect.gen(function* () {
        const { to: ref, body, in_reply_to = null } = yield* decodeSent(call)
        yield* textsChecked(call, { body })
        const to = yield* holderOf(bus, call, ref).pipe(namedBy("to"))
        const asked = own(bus, call, "message.send", { to, body, in_reply_to })
        const sent = parse<Operations["message.send"]["output"]>(
          yield* Effect.mapError(asked, (refused) => (!isPermanent(ref) && isOfDeleted(refused) ? nobody : refused))
        )
        const message: Message = {
          id: sent.id,
          conversation_id: sent.conversation_id,
          from: sent.from,
          to: sent.to,
          body,
          in_reply_to,
          read_at: null,
          created_at: sent.created_at
        }
        return dataValue(message, 201)
      }),
    getMessage: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("message", params.id)
        const { id: agent } = yield* signer(bus, call)
        const message = yield* bus.query(call, "message", { id, agent })
        return message === null ? yield* Effect.fail(noMessage) : dataValue(message)
      }),
    readMessage: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("message", params.id)
        const { agent: by } = yield* admitted(bus, call, { log: MARK_BYTES })
        return dataBytes(yield* bus.ask(call, { actor: String(id), op: "message.read", input: { by } }))
      }),
    readMessages: (call) =>
      Effect.gen(function* () {
        const ids = [...new Set((yield* decodeRead(call)).ids)]
        const { agent: by } = yield* admitted(bus, call, { log: MARK_BYTES * ids.length })
        const all = yield* Effect.forEach(ids, (id) => marked(call, id, by), { concurrency: MARKS_ABREAST })
        return dataValue({ messages: all.filter((one) => one !== null) })
      })
  })
}
