/** Decisions on notifications: which an agent gets, and which it has read. Pure. */
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

/** Ids of other agents, or read before, count for nothing. */
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
export const isTell = Schema.is(NotificationInput)

/** An account that is closed or never existed gets no notification; the sender need not know. */
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
