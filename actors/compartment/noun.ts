import { compartmentKind } from "./actor.ts"
import { compartmentNews, reportedCompartments } from "./reactions.ts"

export const kinds = [compartmentKind]

export const reactions = [compartmentNews, reportedCompartments]

export { secretsProblem } from "./decide.ts"
export { FULL, NAME_TAKEN, UNOWNED, limitReached, unavailableFor, unavailableUntilOperator } from "./refusals.ts"
export { CompartmentEvent } from "./state.ts"
