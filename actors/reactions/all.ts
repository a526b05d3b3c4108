/** Every set of reactions, noun by noun. */
import { partsOf } from "../../schemas/noun.ts"
import * as nouns from "../nouns.ts"
import type { Reactions } from "./reaction.ts"

export const REACTIONS: ReadonlyArray<Reactions> = partsOf(nouns, "reactions").flat()
