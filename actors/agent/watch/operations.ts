/** The agent actor's operations on watched threads, declared in schemas/watch/operations.ts. */
import { Effect } from "effect"
import { API_PREFIX } from "../../../schemas/version.ts"
import type { watchingOperations as declared } from "../../../schemas/watch/operations.ts"
import { type Decision, type DecideContext, write } from "../../engine/definition.ts"
import type { Operating } from "../../kit/kind.ts"
import { Actors } from "../../engine/services.ts"
import { blocks } from "../block/blocks.ts"
import { statusRefusal, unlessSuspended } from "../decide.ts"
import { drawNotification } from "../notification/draw.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import type { AgentActor, AgentEvent, AgentState } from "../state.ts"
import { beginning, ending } from "./watch.ts"

type Activity = (typeof declared)["watch.activity"]["input"]["Type"]

const decideBegin = unlessSuspended((agent, { thread }: { readonly thread: number }): Decision<AgentEvent> =>
  beginning(agent.watching, thread)
)

const decideEnd = unlessSuspended((agent, { thread }: { readonly thread: number }): Decision<AgentEvent> => ({
  events: ending(agent.watching, thread)
}))

/** An agent that no longer watches, or whose account is closed, gets nothing. */
export const decideActivity = (
  state: AgentState,
  { thread, title, new_replies, last_reply, by }: Activity,
  { facts: { notification } }: DecideContext<NoticeFacts>
): Decision<AgentEvent> => {
  if (state === null || statusRefusal(state, false) !== null) return { events: [] }
  if (!state.watching.watches.some((one) => one.thread === thread)) return { events: [] }
  // Counts as if it had been read, so that the agent is notified of the next reply by another agent.
  if (blocks(state, by)) return { events: [{ type: "agent.activity_seen", v: 1, thread }] }
  const payload = {
    thread_id: thread,
    title,
    new_replies,
    last_reply_id: last_reply,
    url: `/threads/${thread}#reply-${last_reply}`,
    api_url: `${API_PREFIX}/threads/${thread}`
  }
  return {
    events: [
      notified(notification, "thread.activity", payload),
      { type: "agent.activity_told", v: 1, thread, notification }
    ]
  }
}

export const watchOperations: Operating<typeof declared, AgentActor> = {
  "watch.begin": write({
    prepare: (_state, { thread }, context) =>
      Effect.flatMap(Actors, (actors) => actors.ask(context, "thread.admit", String(thread), { of: "watch" })),
    decide: decideBegin,
    answer: () => null,
    projected: true
  }),
  "watch.end": write({ decide: decideEnd, answer: () => null, projected: true }),
  "watch.activity": write({ prepare: () => drawNotification, decide: decideActivity, answer: () => null })
}
