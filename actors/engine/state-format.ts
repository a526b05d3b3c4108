/** What a state is made of and looks like, as a number: a snapshot of another is not read. */
import { createHash } from "node:crypto"
import { Schema } from "effect"
import { FOLDS } from "./folds.ts"

/**
 * Of the schema's own description and of the code that folds events into the state: one that was corrected makes
 * another state of the same log. 31 bits: Postgres keeps it as an `integer`.
 */
export const formatOf = (kind: string, state: Schema.Codec<unknown>, folds = FOLDS): number =>
  createHash("sha256")
    .update(JSON.stringify([folds[kind] ?? null, Schema.toJsonSchemaDocument(state)]))
    .digest()
    .readUInt32BE(0) >>> 1
