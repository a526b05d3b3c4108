/** Applies the fate of an agent or a person to their compartments, and changes of their owners. */
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import { AgentEvent } from "../agent/noun.ts"
import { CompartmentEvent } from "../compartment/noun.ts"
import { HumanEvent } from "../human/noun.ts"
import { on, reactions, commandFor, type ReactionCommand } from "../reactions/reaction.ts"
import { FleetEvent } from "./state.ts"

export const agentsFate = reactions(
  "compartments_of_agents",
  on("agent", AgentEvent, (event, { id: agent }) => {
    const told = (fate: "suspended" | "reinstated" | "banned" | "deleted", reason: string | null): ReactionCommand =>
      commandFor("fleet.fate", FLEET_ID, { agent, fate, reason })
    switch (event.type) {
      case "agent.suspended":
        return [told("suspended", event.reason)]
      case "agent.reinstated":
        return [told("reinstated", null)]
      case "agent.banned":
        return [told("banned", event.reason)]
      case "agent.deleted":
        return [told("deleted", null)]
      default:
        return []
    }
  })
)

/**
 * Changes of agents' owners, and deletions of people's accounts. They are one set, so the fleet gets them in the order
 * of the log. The deletion affects the person who is the owner at that time, and nobody who has left before.
 */
export const owners = reactions(
  "compartments_of_owners",
  on("agent", AgentEvent, (event, { id: agent }) => {
    switch (event.type) {
      case "agent.sponsorship_confirmed":
      case "agent.sponsorship_verified":
      case "agent.sponsorship_ended": {
        const { owner } = event
        return [commandFor("fleet.own", FLEET_ID, { agent, ...(owner === undefined ? {} : { owner }) })]
      }
      default:
        return []
    }
  }),
  on("human", HumanEvent, (event, { id: human }) =>
    event.type === "human.deleted" ? [commandFor("fleet.fate", FLEET_ID, { human, fate: "deleted" })] : []
  )
)

export const fated = reactions(
  "compartments_fated",
  on("fleet", FleetEvent, (event) => {
    if (event.type === "fleet.moved") return [commandFor("compartment.move", event.compartment, { host: event.host })]
    if (event.type !== "fleet.fated") return []
    const { fate, by, reason } = event
    return event.compartments.map((compartment) => {
      if (fate === "end") return commandFor("compartment.end", compartment, null)
      if (fate === "lift") return commandFor("compartment.lift", compartment, { by })
      return commandFor("compartment.suspend", compartment, { by, reason })
    })
  })
)

export const released = reactions(
  "compartments_released",
  on("compartment", CompartmentEvent, (event, { id: compartment }) =>
    event.type === "compartment.deleted" ? [commandFor("fleet.release", FLEET_ID, { compartment })] : []
  )
)
