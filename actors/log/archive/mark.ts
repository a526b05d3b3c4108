/**
 * The mark: how far the log has been archived, in the log itself.
 *
 * Invariants
 *  - The newest commit of the mark's subject names the newest segment. It is written when the segment is durable and
 *    its index is in Postgres, and before the server drops what it holds from the log.
 *  - It is written behind the one before it (its expected sequence), so that of two that seal at once one goes on.
 *  - A commit on a subject of which the log has nothing could follow anything. It goes in a batch with a message that
 *    expects the mark to be the one by which the archive was asked for that subject: what was archived since refuses it.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Schema } from "effect"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { lastMessage } from "../last-message.ts"
import { SegmentName } from "./segment.ts"

const TIMEOUT_MS = 3000

export const MARK_SUBJECT = subjects.event("log", "archived")
/** Where the messages go that expect a mark. The log forgets them soon, and no reader is told of them. */
export const GUARD_SUBJECT = subjects.event("log", "guard")
export const GUARD_TTL = "60s"
/** The header that says of which subject the expected sequence is. */
export const EXPECTED_OF = "Nats-Expected-Last-Subject-Sequence-Subject"

export const SEGMENT_ARCHIVED = "log.segment_archived"

export interface Mark {
  /** Sequence of the mark's own commit; 0 where nothing was ever archived. */
  readonly seq: number
  readonly segment: SegmentName | null
}

export const NO_MARK: Mark = { seq: 0, segment: null }

/** The last sequence that the archive covers. */
export const throughOf = ({ segment }: Mark): number => segment?.last ?? 0

const Marked = Schema.Struct({
  events: Schema.Tuple([
    Schema.Struct({ type: Schema.Literal(SEGMENT_ARCHIVED), v: Schema.Literal(1), segment: SegmentName })
  ])
})
const readMarked = Schema.decodeUnknownSync(Schema.fromJsonString(Marked))

/** As the log's leader has it. */
export const newestMark = async (nats: NatsConnection): Promise<Mark> => {
  const found = await lastMessage(nats, streams.events, MARK_SUBJECT, TIMEOUT_MS)
  if (found === null) return NO_MARK
  return { seq: found.seq, segment: readMarked(new TextDecoder().decode(found.data)).events[0].segment }
}
