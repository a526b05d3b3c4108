/**
 * The state of a blob: the number of records that refer to its bytes by their SHA-256, and until when it is kept
 * without a reference.
 *
 * Invariants
 *  - Every event contains the whole state, so the newest commit is enough. A record adds and removes its reference in
 *    its own commit (naming.ts). So `names` is exact at every point of the log.
 *  - The edge announces an upload (`blob.expected`) before it writes the first piece. From then on the blob is not
 *    deleted before `until`, which is much later than an upload can end. A timer then collects a blob without a
 *    reference, even if the edge dies.
 *  - A blob is condemned in one commit and purged by the next command. Condemned means that it has no reference and its
 *    time is over. A reference that is added at the same time fails by its expected sequence and is refused. The client
 *    then sends the bytes again.
 *  - A purge deletes pieces up to `through`, the stream's end when the blob was condemned, and no later ones. So a node
 *    that was frozen during a purge does no harm to later pieces. An upload that expects a condemned blob has it purged
 *    first, so that all of its pieces are new.
 */
import { Schema } from "effect"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

const standing = {
  /** The size in bytes. */
  size: Schema.Int,
  /** The number of files and data records that refer to the blob. */
  names: Schema.Int,
  /** Unix ms at which the blob is deleted if no record refers to it then. */
  until: Schema.Number
}

const Blob = Schema.Struct({
  ...standing,
  /** Pieces up to this sequence of their stream must be deleted; `null` while the blob exists. */
  through: Schema.NullOr(Schema.Int)
})
type Blob = typeof Blob.Type

/** `null`: no piece of the blob is stored. */
export const BlobState = Schema.NullOr(Blob)
export type BlobState = typeof BlobState.Type

export const BlobEvent = Schema.Union([
  event("blob.expected", 1, standing),
  event("blob.named", 1, standing),
  event("blob.released", 1, standing),
  event("blob.condemned", 1, { size: Schema.Int, through: Schema.Int }),
  event("blob.collected", 1)
])
export type BlobEvent = typeof BlobEvent.Type

export type BlobActor = ActorOf<BlobState, BlobEvent>

export const NO_BLOB: BlobState = null

export const evolveBlob = (_state: BlobState, event: BlobEvent): BlobState => {
  if (event.type === "blob.collected") return null
  if (event.type === "blob.condemned") return { size: event.size, names: 0, until: 0, through: event.through }
  const { size, names, until } = event
  return { size, names, until, through: null }
}
