/** What the agent actor does with its notifications; it is declared in schemas/notification/operations.ts. */
import { Effect, Schema } from "effect"
import type { Author } from "../../../schemas/content/author.ts"
import { invalidField } from "../../../schemas/errors.ts"
import {
  type MarkedRead,
  type MarkRead,
  notificationOperations as declared,
  Tell
} from "../../../schemas/notification/operations.ts"
import { type Decision, type DecideContext, type PrepareContext, write } from "../../engine/definition.ts"
import type { Operating } from "../../kind.ts"
import { Actors } from "../../services.ts"
import { statusRefusal, unlessSuspended } from "../decide.ts"
import { drawNotification } from "./draw.ts"
import { type NoticeFacts, notified } from "./notify.ts"
import type { AgentActor, AgentEvent, AgentState } from "../state.ts"
import { seenBy } from "../watch/watch.ts"

/** Ids of other agents, or read before, count for nothing. Pure. */
export const decideRead = unlessSuspended((agent, { ids }: MarkRead): Decision<AgentEvent, MarkedRead> => {
  const wanted = ids === null ? null : new Set(ids)
  const read = wanted === null ? agent.unread : agent.unread.filter((id) => wanted.has(id))
  const reply = { marked_read: read.length }
  return read.length === 0
    ? { events: [], reply }
    : { events: [{ type: "agent.notifications_read", v: 1, ids: read }, ...seenBy(agent.watching, read)], reply }
})

/** `by`: who caused it; `null` where nobody is said to have. */
export interface TellFacts extends NoticeFacts {
  readonly by: Author | null
}

/** A newer release may tell of what this one does not declare. */
const isTell = Schema.is(Tell)

/** An account that is closed, or was never there, hears nothing: who tells it need not know. Pure. */
export const decideTell = (state: AgentState, input: Tell, { facts }: DecideContext<TellFacts>): Decision<AgentEvent> =>
  isTell(input) ? told(state, input, facts) : { refused: invalidField("about", "There is no such notification type.") }

const told = (state: AgentState, { about, payload }: Tell, { notification, by }: TellFacts): Decision<AgentEvent> =>
  state === null || statusRefusal(state, false) !== null
    ? { events: [] }
    : { events: [notified(notification, about, by === null ? payload : { ...payload, by })] }

/** Who caused it, as he stands now: what his name was then, he may have had reason to change. */
const tellFacts = (by: string | undefined, context: PrepareContext) =>
  Effect.gen(function* () {
    const { notification } = yield* drawNotification
    if (by === undefined) return { notification, by: null }
    const actors = yield* Actors
    return { notification, by: yield* actors.ask(context, "content.author", by, null) }
  })

export const notificationOperations: Operating<typeof declared, AgentActor> = {
  "notification.read": write({ decide: decideRead, answer: (_state, reply) => reply, projected: true }),
  "notification.tell": write({
    prepare: (_state, { by }, context) => tellFacts(by, context),
    decide: decideTell,
    answer: () => null
  })
}
