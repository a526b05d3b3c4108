/** What the agent actor does with its notifications; it is declared in schemas/notification/operations.ts. */
import { Effect, Schema } from "effect"
import { invalidField, type Refusal } from "../../../schemas/errors.ts"
import {
  type MarkedRead,
  type MarkRead,
  notificationOperations as declared,
  Tell
} from "../../../schemas/notification/operations.ts"
import { type Decision, type DecideContext, type PrepareContext, write } from "../../engine/definition.ts"
import type { KindParts, Operating } from "../../kind.ts"
import { Actors, type ActorServices } from "../../services.ts"
import { statusRefusal, unlessSuspended } from "../decide.ts"
import { drawNotification, NO_NOTIFICATION } from "./draw.ts"
import { type NoticeFacts, notified } from "./notify.ts"
import type { AgentActor, AgentEvent, AgentState } from "../state.ts"

/** Ids of other agents, or read before, count for nothing. Pure. */
export const decideRead = unlessSuspended((agent, { ids }: MarkRead): Decision<AgentEvent, MarkedRead> => {
  const wanted = ids === null ? null : new Set(ids)
  const read = wanted === null ? agent.unread : agent.unread.filter((id) => wanted.has(id))
  const reply = { marked_read: read.length }
  return read.length === 0
    ? { events: [], reply }
    : { events: [{ type: "agent.notifications_read", v: 1, ids: read }], reply }
})

/** A newer release may tell of what this one does not declare. */
const isTell = Schema.is(Tell)

type Payload = Tell["payload"]

export interface TellFacts extends NoticeFacts {
  /** To the payload: whose doing it is, and where it is found. */
  readonly added?: Payload
}

/** An account that is closed, or was never there, hears nothing: who tells it need not know. Pure. */
export const decideTell = (state: AgentState, input: Tell, { facts }: DecideContext<TellFacts>): Decision<AgentEvent> =>
  isTell(input) ? told(state, input, facts) : { refused: invalidField("about", "There is no such notification type.") }

const told = (
  state: AgentState,
  { about, payload }: Tell,
  { notification, added = {} }: TellFacts
): Decision<AgentEvent> =>
  state === null || statusRefusal(state, false) !== null
    ? { events: [] }
    : { events: [notified(notification, about, { ...payload, ...added })] }

/** A number is drawn last: for what can be told. */
const tellFacts = (
  input: Tell,
  context: PrepareContext,
  baseUrl: string
): Effect.Effect<TellFacts, Refusal, ActorServices> =>
  Effect.gen(function* () {
    if (!isTell(input)) return yield* NO_NOTIFICATION
    const { who, paths = {} } = input
    const actors = yield* Actors
    const by: Payload =
      who === undefined ? {} : { [who.as]: yield* actors.ask(context, "content.author", who.agent, null) }
    const addresses = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `${baseUrl}${path}`]))
    return { ...(yield* drawNotification), added: { ...by, ...addresses } }
  })

export const notificationOperations = ({ config: { baseUrl } }: KindParts): Operating<typeof declared, AgentActor> => ({
  "notification.read": write({ decide: decideRead, answer: (_state, reply) => reply, projected: true }),
  "notification.tell": write({
    prepare: (_state, input, context) => tellFacts(input, context, baseUrl),
    decide: decideTell,
    answer: () => null
  })
})
