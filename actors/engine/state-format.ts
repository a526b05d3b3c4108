/** What a state looks like, as a number: a snapshot of another look is not read. */
import { createHash } from "node:crypto"
import { Schema } from "effect"

/** Of the schema's own description, 31 bits: Postgres keeps it as an `integer`. */
export const formatOf = (state: Schema.Codec<unknown>): number =>
  createHash("sha256")
    .update(JSON.stringify(Schema.toJsonSchemaDocument(state)))
    .digest()
    .readUInt32BE(0) >>> 1
