/** An agent writes to its sponsors and reads their answers (spec 4.10; contract 10, 20). */
import { Effect, Option } from "effect"
import type { Operations, Queries } from "../../schemas/bus/operations.ts"
import type { ErrorCode } from "../../schemas/errors.ts"
import { OwnerApi, WriteToOwners } from "../../schemas/owner/api.ts"
import { OWNER_MESSAGE_LIMITS } from "../../schemas/owner/limits.ts"
import type { OwnerAnswer, OwnerMessage } from "../../schemas/owner/records.ts"
import { parse } from "../bus/bus.ts"
import { textsIn } from "../content/texts.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { clamped, pageMeta, pageOf, sinceIdOf } from "../http/query.ts"
import type { Refused } from "../http/refused.ts"
import { dataOfPeople, dataValue } from "../http/respond.ts"
import { withoutOwnerSecrets } from "../content/secrets.ts"
import { OwnerWaits, type Waited, type Notifications } from "../notification/index.ts"
import { author, own, signer } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

type Parts = EdgeParts & { readonly notifications: Notifications }

const decodeWritten = bodyDecoder(WriteToOwners)

const CREATED = 201
const { wait_max_seconds } = OWNER_MESSAGE_LIMITS
const MARKS_ABREAST = 10
const MARK_WITHIN_MS = 50

const NO_ANSWER: Waited<OwnerAnswer | null> = { found: null, waited: false }
/**
 * A wait that fails in these ways is not reported as failed. The message exists, and a later request can ask for its
 * answer.
 */
const UNKNOWN: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "overloaded"])

type ListedConversation = Queries["owner_conversation"]["output"]

export const ownerRoutes = ({ bus, notifications, config: { hub } }: Parts) => {
  const waits = new OwnerWaits(bus, notifications.forOwners, hub.limits)

  const answerTo = (call: Call, message: number, waitSeconds: number): Effect.Effect<typeof NO_ANSWER, Refused> =>
    Effect.gen(function* () {
      const { id: agent } = yield* signer(bus, call)
      const look = Effect.suspend(() => bus.read(call, { actor: agent, op: "owner.answered", input: { message } }))
      const isThere = (answer: OwnerAnswer | null): boolean => answer !== null
      const held = yield* waits.hold(call, { agent, purpose: "message", waitSeconds, look, isThere })
      return held.found === null ? held : { ...held, found: yield* readBy(call, agent, held.found) }
    }).pipe(
      Effect.catchIf(
        ({ refusal: { code } }) => UNKNOWN.has(code),
        () => Effect.succeed(NO_ANSWER)
      )
    )

  /**
   * Marks the returned answer as read, as lists do, so that its author sees that it was read. The request waits only a
   * moment for the mark, which may be set after that.
   */
  const readBy = (call: Call, agent: string, answer: OwnerAnswer): Effect.Effect<OwnerAnswer> => {
    const mark = bus.read(call, { actor: String(answer.id), op: "owner_message.read", input: { by: agent } })
    return Effect.match(Effect.timeoutOption(mark, MARK_WITHIN_MS), {
      onSuccess: (marked) => (Option.isSome(marked) ? { ...answer, read_at: marked.value.read_at } : answer),
      onFailure: () => answer
    })
  }

  /** Marks the listed answers as read. An answer that cannot be marked now is listed as unread again. */
  const marked = (call: Call, agent: string, { items }: ListedConversation): Effect.Effect<void> =>
    Effect.forEach(
      items.filter(({ direction, read_at }) => direction === "to_agent" && read_at === null),
      ({ id }) => Effect.ignore(bus.ask(call, { actor: String(id), op: "owner_message.read", input: { by: agent } })),
      { concurrency: MARKS_ABREAST, discard: true }
    )

  return routesOf(OwnerApi, {
    writeToOwners: (call) =>
      Effect.gen(function* () {
        const { text, kind, options = null, wait_seconds = 0 } = yield* decodeWritten(call)
        yield* withoutOwnerSecrets([...textsIn({ text, options })], author(call))
        const sent = parse<Operations["owner.send"]["output"]>(
          yield* own(bus, call, "owner.send", { text, kind, options })
        )
        const { found: answer, waited } = wait_seconds > 0 ? yield* answerTo(call, sent.id, wait_seconds) : NO_ANSWER
        const message: OwnerMessage = {
          id: sent.id,
          direction: "to_owner",
          owner: null,
          kind,
          text,
          options,
          in_reply_to: null,
          answer,
          waited,
          delivered_to: sent.delivered_to,
          read_at: null,
          created_at: sent.created_at
        }
        return answer === null
          ? dataValue(message, CREATED)
          : dataOfPeople(message, { ...message, answer: null }, CREATED)
      }),
    listOwnerMessages: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const wanted = { ...page, agent, human: null, since_id: sinceIdOf(query.since_id) }
        const isHead = call.method === "HEAD"
        const look = Effect.suspend(() => bus.query(call, "owner_conversation", wanted))
        const { found, waited } = yield* waits.hold(call, {
          agent,
          purpose: "message",
          // HEAD returns no list, so it does not wait.
          waitSeconds: isHead ? 0 : clamped(query.wait_seconds, 0, wait_max_seconds, 0),
          look,
          // With `since_id` the request waits for an answer. The agent's own messages do not count.
          isThere: ({ items, total }) =>
            wanted.since_id === 0
              ? total > 0
              : items.length < total || items.some(({ direction }) => direction === "to_agent")
        })
        if (!isHead) yield* marked(call, agent, found)
        const owners = yield* bus.read(call, { actor: agent, op: "owner.owners", input: null })
        return dataValue(found.items, 200, { ...pageMeta(page, found.total), owners, waited })
      })
  })
}
