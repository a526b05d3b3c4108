/**
 * Kind `blob`, id = the sha256 of its bytes in hex. The bytes are in a stream of their own, in pieces that the edge
 * writes (edge/bus/blobs.ts). The actor counts the records that name them, and has them collected when none does.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"

/** A record's reference to bytes that are stored elsewhere. */
export const BlobRef = Schema.Struct({
  /** Lower-case hex. */
  sha256: Schema.String,
  /** Bytes. */
  size: Schema.Int
})
export type BlobRef = typeof BlobRef.Type

/**
 * Bytes of one piece, all but the last. Pieces are found by their number: this belongs to the format of what is stored,
 * and never changes.
 */
export const BLOB_PIECE_BYTES = 262_144

export const piecesOf = (size: number): number => Math.ceil(size / BLOB_PIECE_BYTES)

export const blobOperations = operationsOf("blob", {
  /**
   * Asked before its pieces are written: nothing of it is collected for a while. `stored`: they are there, and need not
   * be sent.
   */
  "blob.expect": op({
    input: Schema.Struct({ size: Schema.Int }),
    output: Schema.Struct({ stored: Schema.Boolean }),
    askedBy: ["edge"]
  }),
  /** Nothing has named it for as long as it is kept then. */
  "blob.collect": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  "blob.purge": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})
