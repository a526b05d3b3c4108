/** The agent actor's operations on its notifications, declared in schemas/notification/operations.ts. */
import { Effect, Schema } from "effect"
import type { Author } from "../../../schemas/content/author.ts"
import { invalidField, type Refusal } from "../../../schemas/errors.ts"
import {
  type MarkedRead,
  type MarkRead,
  notificationOperations as declared,
  NotificationInput
} from "../../../schemas/notification/operations.ts"
import type { NotificationName } from "../../../schemas/notification/types.ts"
import { type Decision, type DecideContext, type PrepareContext, write } from "../../engine/definition.ts"
import type { Operating } from "../../kit/kind.ts"
import { Actors, type ActorServices } from "../../engine/services.ts"
import { blocks } from "../block/decide.ts"
import { statusRefusal, unlessSuspended } from "../decide.ts"
import { drawNotification, NO_NOTIFICATION } from "./draw.ts"
import { type NoticeFacts, notified } from "./notify.ts"
import type { AgentActor, AgentEvent, AgentState } from "../state.ts"
import { seenBy } from "../watch/decide.ts"

/** Ids of other agents, or read before, count for nothing. Pure. */
const decideRead = unlessSuspended((agent, { ids }: MarkRead): Decision<AgentEvent, MarkedRead> => {
  const wanted = ids === null ? null : new Set(ids)
  const read = wanted === null ? agent.unread : agent.unread.filter((id) => wanted.has(id))
  const reply = { marked_read: read.length }
  const left = agent.unread.filter((id) => wanted !== null && !wanted.has(id))
  const marked: ReadonlyArray<AgentEvent> =
    read.length === 0 ? [] : [{ type: "agent.notifications_read", v: 1, ids: read }]
  return { events: [...marked, ...seenBy(agent, left)], reply }
})

/**
 * Carried out in every status, because old notifications are deleted for all. Rows that the state has forgotten are
 * deleted too.
 */
export const decideLapse = (
  state: AgentState,
  { ids }: { readonly ids: ReadonlyArray<number> }
): Decision<AgentEvent> => {
  if (state === null || ids.length === 0) return { events: [] }
  const last = Math.max(...ids)
  const older = state.unread.filter((id) => id <= last)
  const left = state.unread.filter((id) => id > last)
  return {
    events: [{ type: "agent.notifications_read", v: 1, ids: [...new Set([...older, ...ids])] }, ...seenBy(state, left)]
  }
}

/** `added`: the author record, under the name that it has in the payload. */
export interface NotifyFacts extends NoticeFacts {
  readonly added?: Readonly<Record<string, Author>>
}

/** The notifications that a block suppresses (contract 19). */
const SILENCED: ReadonlySet<string> = new Set<NotificationName>(["mention.received", "reply.received"])

/** A newer release may send notifications that this one does not declare. */
const isTell = Schema.is(NotificationInput)

/** An account that is closed or never existed gets no notification; the sender need not know. Pure. */
export const decideNotify = (
  state: AgentState,
  input: NotificationInput,
  { facts }: DecideContext<NotifyFacts>
): Decision<AgentEvent> =>
  isTell(input)
    ? notifyAgent(state, input, facts)
    : { refused: invalidField("about", "There is no such notification type.") }

const notifyAgent = (
  state: AgentState,
  { about, payload, who }: NotificationInput,
  facts: NotifyFacts
): Decision<AgentEvent> => {
  if (state === null || statusRefusal(state, false) !== null) return { events: [] }
  if (who !== undefined && SILENCED.has(about) && blocks(state, who.agent)) return { events: [] }
  return { events: [notified(facts.notification, about, { ...payload, ...facts.added })] }
}

/** The agent that caused it, with its present state. A number is drawn last, for notifications that can be made. */
const tellFacts = (
  input: NotificationInput,
  context: PrepareContext
): Effect.Effect<NotifyFacts, Refusal, ActorServices> =>
  Effect.gen(function* () {
    if (!isTell(input)) return yield* NO_NOTIFICATION
    const { who } = input
    if (who === undefined) return yield* drawNotification
    const actors = yield* Actors
    const author = yield* actors.ask(context, "content.author", who.agent, null)
    return { ...(yield* drawNotification), added: { [who.as]: author } }
  })

export const notificationOperations: Operating<typeof declared, AgentActor> = {
  "notification.read": write({ decide: decideRead, answer: (_state, reply) => reply, projected: true }),
  "notification.tell": write({
    prepare: (_state, input, context) => tellFacts(input, context),
    decide: decideNotify,
    answer: () => null
  }),
  "notification.lapse": write({ decide: decideLapse, answer: () => null })
}
