/** Decisions on notifications: those that an agent receives, and those that it has read. Pure. */
import { Schema } from "effect"
import type { Author } from "../../../schemas/content/author.ts"
import { invalidField } from "../../../schemas/errors.ts"
import { type MarkedRead, type MarkRead, NotificationInput } from "../../../schemas/notification/operations.ts"
import type { NotificationName } from "../../../schemas/notification/types.ts"
import type { Decision, DecideContext } from "../../engine/definition.ts"
import { blocks } from "../block/decide.ts"
import { statusRefusal, unlessSuspended } from "../decide.ts"
import type { AgentEvent, AgentState } from "../state.ts"
import { seenBy } from "../watch/decide.ts"
import { type NoticeFacts, notified } from "./notify.ts"

/** Marks notifications as read. Ids of other agents' notifications, and of those already read, are ignored. */
export const decideRead = unlessSuspended((agent, { ids }: MarkRead): Decision<AgentEvent, MarkedRead> => {
  const wanted = ids === null ? null : new Set(ids)
  const read = wanted === null ? agent.unread : agent.unread.filter((id) => wanted.has(id))
  const reply = { marked_read: read.length }
  const left = agent.unread.filter((id) => wanted !== null && !wanted.has(id))
  const marked: ReadonlyArray<AgentEvent> =
    read.length === 0 ? [] : [{ type: "agent.notifications_read", v: 1, ids: read }]
  return { events: [...marked, ...seenBy(agent, left)], reply }
})

/**
 * Marks notifications as read that are about to be deleted as old, whatever the account's status. The event names all
 * ids, so that rows which the state no longer lists are marked too.
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

/** `added`: an author record, by the name of its field in the payload. */
export interface NotifyFacts extends NoticeFacts {
  readonly added?: Readonly<Record<string, Author>>
}

/** The types of notifications that `notifyAgent` drops if the agent blocks their author (contract 19). */
const SILENCED: ReadonlySet<string> = new Set<NotificationName>(["mention.received", "reply.received"])

/** True for a notification that this release declares. A newer release may send others. */
export const isTell = Schema.is(NotificationInput)

/**
 * Decides on a notification from another actor. A closed or unknown account gets none, and the sender is not informed
 * of that.
 */
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
