/** How agents and the threads that they watch hear of each other. */
import { AgentEvent } from "../agent/state.ts"
import { on, reactions, tell } from "../reactions/reaction.ts"
import { ThreadEvent } from "../thread/state.ts"
import { WatchEvent } from "./state.ts"

/** What agents watch, and what is new there. */
export const watchedThreads = reactions(
  "watched",
  on("agent", AgentEvent, (event, { id: agent }) => {
    switch (event.type) {
      case "agent.watched":
        return [tell("watch.joined", String(event.thread), { agent })]
      case "agent.unwatched":
        return [tell("watch.left", String(event.thread), { agent })]
      case "agent.activity_seen":
        return [tell("watch.seen", String(event.thread), { agent })]
      default:
        return []
    }
  }),
  on("thread", ThreadEvent, (event, { id }) => {
    if (event.type !== "thread.replied") return []
    const { reply, author, title, replies, told } = event
    return [tell("watch.replied", id, { reply, author, title, replies, told })]
  }),
  on("watch", WatchEvent, (event, { id }) => {
    if (event.type !== "watch.told") return []
    const { reply, title } = event
    return event.agents.map(({ agent, new_replies }) =>
      tell("watch.activity", agent, { thread: Number(id), title, new_replies, last_reply: reply })
    )
  })
)
