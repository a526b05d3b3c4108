/** What follows from an agent's events elsewhere. */
import { on, reactions, tell } from "../reactions/reaction.ts"
import { AgentEvent } from "./state.ts"

export const agentReactions = reactions(
  "agent",
  on("agent", AgentEvent, (event, { id }) =>
    event.type === "agent.deleted" ? [tell("identity.forget_hosts", id, null)] : []
  )
)
