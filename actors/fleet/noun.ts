import { fleetKind } from "./actor.ts"
import { agentsFate, fated, peoplesFate, released } from "./reactions.ts"

export const kinds = [fleetKind]

export const reactions = [agentsFate, peoplesFate, fated, released]
