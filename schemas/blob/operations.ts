/**
 * Kind `blob`, whose id is the sha256 of its bytes in hex. The edge writes the bytes to a separate stream in pieces
 * (edge/bus/blobs.ts). The actor counts the records that refer to the blob. Some time after the last of them is gone,
 * it deletes the pieces.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"

/** A record's reference to bytes that are stored elsewhere. */
export const BlobRef = Schema.Struct({
  /** sha256 in lower-case hex. */
  sha256: Schema.String,
  /** In bytes. */
  size: Schema.Int
})
export type BlobRef = typeof BlobRef.Type

/**
 * Bytes of each piece except the last. Pieces are found by their number, so this is part of the stored format and never
 * changes.
 */
export const BLOB_PIECE_BYTES = 262_144

export const piecesOf = (size: number): number => Math.ceil(size / BLOB_PIECE_BYTES)

export const blobOperations = operationsOf("blob", {
  /**
   * Announces an upload. The pieces are then kept for a grace period, although no record refers to them yet. `stored`
   * is true if a record refers to the same bytes, so that they need not be written.
   */
  "blob.expect": op({
    input: Schema.Struct({ size: Schema.Int }),
    output: Schema.Struct({ stored: Schema.Boolean }),
    askedBy: ["edge"]
  }),
  /** Sent by a timer: condemns a blob to which no record has referred for the whole grace period. */
  "blob.collect": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  /** Sent by a timer: deletes the pieces of a condemned blob. */
  "blob.purge": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})
