import { on, reactions, commandFor } from "../reactions/reaction.ts"
import { AgentEvent } from "./state.ts"

/**
 * Deletes an account's visits, and tells threads who watches them. It is one set, because agents commit most of all.
 */
export const agentReactions = reactions(
  "agent",
  on("agent", AgentEvent, (event, { id: agent }) => {
    switch (event.type) {
      case "agent.deleted":
        return [commandFor("identity.forget_hosts", agent, null)]
      case "agent.watched":
        return [commandFor("watch.joined", String(event.thread), { agent })]
      case "agent.unwatched":
        return [commandFor("watch.left", String(event.thread), { agent })]
      case "agent.activity_seen":
        return [commandFor("watch.seen", String(event.thread), { agent })]
      default:
        return []
    }
  })
)

/** Ends sponsorships with the agent's account: those that it knew of, and those that are declared later. */
export const sponsorshipsOfAgents = reactions(
  "sponsorship_of_agent",
  on("agent", AgentEvent, (event) => {
    const revoked = (id: number) => commandFor("sponsorship.end", String(id), { status: "revoked" })
    if (event.type === "agent.deleted") return (event.sponsorships ?? []).map(revoked)
    return event.type === "agent.sponsorship_came_late" ? [revoked(event.sponsorship)] : []
  })
)
