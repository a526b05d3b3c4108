import { compartmentKind } from "./actor.ts"
import { compartmentNews, reportedCompartments } from "./reactions.ts"

export const kinds = [compartmentKind]

export const reactions = [compartmentNews, reportedCompartments]
