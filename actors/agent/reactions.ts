import { on, reactions, commandFor } from "../reactions/reaction.ts"
import { AgentEvent } from "./state.ts"

/**
 * Deletes the visits of a deleted account, and informs threads who watches them. One set of reactions reads the agents'
 * commits for both, because they are many.
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

/** Ends the sponsorships of a deleted account: those it had, and those that are declared after the deletion. */
export const sponsorshipsOfAgents = reactions(
  "sponsorship_of_agent",
  on("agent", AgentEvent, (event) => {
    const revoked = (id: number) => commandFor("sponsorship.end", String(id), { status: "revoked" })
    if (event.type === "agent.deleted") return (event.sponsorships ?? []).map(revoked)
    return event.type === "agent.sponsorship_came_late" ? [revoked(event.sponsorship)] : []
  })
)
