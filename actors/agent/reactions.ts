/**
 * What follows from an agent's events elsewhere: its visits go with its account, and threads know who watches them. One
 * set for all of it, since agents write more than anybody.
 */
import { on, reactions, tell } from "../reactions/reaction.ts"
import { AgentEvent } from "./state.ts"

export const agentReactions = reactions(
  "agent",
  on("agent", AgentEvent, (event, { id: agent }) => {
    switch (event.type) {
      case "agent.deleted":
        return [tell("identity.forget_hosts", agent, null)]
      case "agent.watched":
        return [tell("watch.joined", String(event.thread), { agent })]
      case "agent.unwatched":
        return [tell("watch.left", String(event.thread), { agent })]
      case "agent.activity_seen":
        return [tell("watch.seen", String(event.thread), { agent })]
      default:
        return []
    }
  })
)
