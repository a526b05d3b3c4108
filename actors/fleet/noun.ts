import { fleetKind } from "./actor.ts"
import { agentsFate, fated, owners, released } from "./reactions.ts"

export const kinds = [fleetKind]

export const reactions = [agentsFate, owners, fated, released]
