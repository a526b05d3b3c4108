/**
 * Every projection, noun by noun.
 *
 * Invariants
 *  - Each has its own tables, watermark, faults and runner: one that is new, raised, rebuilt or held up changes nothing
 *    for the others.
 *  - Within one projection a page never shows half of a commit, or of several that were made as one: its tables move in
 *    one transaction.
 *  - Between two a page may: for the moments that lie between their transactions the one has a commit that the other
 *    has not. So no query joins tables of two of them; who combines their answers (a notification, and its delivery)
 *    meets the one without the other. `agents.last_seen_at` is of another stream, and belongs to no commit.
 *  - A writer sees its write whole: the answer waits for all that read what was written (engine/read-models.ts).
 */
import { partsOf } from "../../schemas/noun.ts"
import * as nouns from "./nouns.ts"
import type { Projection } from "../projections/projection.ts"

export const PROJECTIONS: ReadonlyArray<Projection> = partsOf(nouns, "projections").flat()

/** Names of the projections that read each kind's commits. */
export const READERS: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  [...new Set(PROJECTIONS.flatMap(({ kinds }) => kinds))].map((kind) => [
    kind,
    PROJECTIONS.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name)
  ])
)
