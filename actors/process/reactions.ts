/** Every set of reactions, noun by noun. */
import { partsOf } from "../../schemas/noun.ts"
import * as nouns from "./nouns.ts"
import { READERS } from "./projections.ts"
import { markOf, type Reactions } from "../reactions/reaction.ts"

export const REACTIONS: ReadonlyArray<Reactions> = partsOf(nouns, "reactions").flat()

/**
 * For each kind, the names for which the answer to a `projected` write waits: the projections that read the kind, and
 * the awaited sets of reactions.
 */
export const AWAITED_BY_KIND: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  [...new Set([...READERS.keys(), ...REACTIONS.flatMap(({ kinds }) => kinds)])].map((kind) => [
    kind,
    [
      ...(READERS.get(kind) ?? []),
      ...REACTIONS.filter(({ awaited, kinds }) => awaited && kinds.includes(kind)).map(markOf)
    ]
  ])
)
