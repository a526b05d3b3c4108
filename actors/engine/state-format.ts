/** The format of a kind's state as a number. Snapshots in another format are not read. */
import { createHash } from "node:crypto"
import { Schema } from "effect"
import { FOLDS } from "./folds.ts"

/**
 * Hashes the schema's description and the code of the fold, because a corrected fold makes another state from the same
 * log. The hash has 31 bits, because Postgres stores it as an `integer`.
 */
export const formatOf = (kind: string, state: Schema.Codec<unknown>, folds = FOLDS): number =>
  createHash("sha256")
    .update(JSON.stringify([folds[kind] ?? null, Schema.toJsonSchemaDocument(state)]))
    .digest()
    .readUInt32BE(0) >>> 1
