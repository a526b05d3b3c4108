/**
 * Every projection, noun by noun.
 *
 * Invariants
 *  - Each has its own tables, watermark, faults and runner. If one is new, gets a new version, is rebuilt or stuck, the
 *    others continue. They wait only for the moment in which a rebuild replaces tables (projections/rebuild.ts).
 *  - Within one projection a query never sees half of a commit, because its tables move in one transaction.
 *  - Across two projections a query may see half of a commit: between their transactions one has it and the other does
 *    not. Code that combines two (a notification and its delivery) must expect one without the other.
 *    `agents.last_seen_at` comes from another stream, and belongs to no commit.
 *  - A writer normally sees all of its write: the answer to a `projected` write waits for the projections that read it,
 *    for at most `projected_wait_ms` (engine/read-models.ts).
 */
import { partsOf } from "../../schemas/noun.ts"
import * as nouns from "./nouns.ts"
import type { Projection } from "../projections/projection.ts"

export const PROJECTIONS: ReadonlyArray<Projection> = partsOf(nouns, "projections").flat()

/** For each kind, the names of the projections that read its commits. */
export const READERS: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  [...new Set(PROJECTIONS.flatMap(({ kinds }) => kinds))].map((kind) => [
    kind,
    PROJECTIONS.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name)
  ])
)
