/**
 * The mark says how far the log has been archived. It is a commit of the log itself.
 *
 * Invariants
 *  - The newest commit of the mark's subject names the newest segment. It is written when the segment is durable and
 *    its index is in Postgres, and before the server drops the segment's commits from the log.
 *  - Each mark expects the one before it (its expected sequence). So if two archivers seal at the same time, only one
 *    of them continues.
 *  - A subject without commits in the log may have commits in the archive. An append to it is therefore sent in a batch
 *    with a guard: a message that expects the mark at which the archive was asked for that subject. If the archive has
 *    grown since, the batch is refused.
 *  - A server with replicas refuses a batch while another one that expects the same subject is under way. So the mark
 *    has lanes: subjects that are written in one batch with it, right before it. Batches take the lanes in turn, so
 *    that two at the same time rarely expect the same one.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Schema } from "effect"
import { streams, subjects } from "../../../schemas/subjects.ts"
import type { Append, Commit } from "../commit.ts"
import { lastMessage } from "../last-message.ts"
import { SegmentName } from "./segment.ts"

const TIMEOUT_MS = 3000

const MARK_SUBJECT = subjects.event("log", "archived")
/** The subject of messages that expect a mark. The log forgets them soon, and no reader sees them. */
export const GUARD_SUBJECT = subjects.event("log", "guard")
export const GUARD_TTL = "60s"
const LANES = 32
const LANE_SUBJECTS = Array.from({ length: LANES }, (_, lane) => subjects.event("log", `lane-${lane}`))
const OWN_SUBJECTS: ReadonlySet<string> = new Set([GUARD_SUBJECT, ...LANE_SUBJECTS])
/** True for subjects that only writers use. No reader of the log sees them, and they are not archived. */
export const isGuarding = (subject: string): boolean => OWN_SUBJECTS.has(subject)
/**
 * Claims on texts. They expire within a day, and the log itself keeps each of them until then, even if it is also
 * archived.
 */
export const PASSING_SUBJECTS = subjects.eventsOf("text")
const PASSING = PASSING_SUBJECTS.slice(0, -1)
export const isPassing = (subject: string): boolean => subject.startsWith(PASSING)
/** The header that names the subject of the expected sequence. */
export const EXPECTED_OF = "Nats-Expected-Last-Subject-Sequence-Subject"

export const SEGMENT_ARCHIVED = "log.segment_archived"

export interface Mark {
  /** The sequence of the mark's own commit; 0 if nothing was ever archived. */
  readonly seq: number
  readonly segment: SegmentName | null
}

export const NO_MARK: Mark = { seq: 0, segment: null }

/**
 * The expectation of a guard: a lane's subject, and the sequence of its newest message. `turn` increases with every
 * guarded batch.
 */
export const laneOf = (turn: number, mark: number): { readonly subject: string; readonly expected: number } => {
  const lane = turn % LANES
  return { subject: LANE_SUBJECTS[lane] ?? MARK_SUBJECT, expected: mark === 0 ? 0 : mark - LANES + lane }
}

/** The batch that moves the mark: the lanes first, then the mark itself. */
export const markAppends = ({ seq }: Mark, commit: Commit): ReadonlyArray<Append> => [
  ...LANE_SUBJECTS.map((subject) => ({
    subject,
    expected: 0,
    unfenced: true as const,
    commit: { ...commit, events: [] }
  })),
  { subject: MARK_SUBJECT, expected: seq, commit }
]

export const throughOf = ({ segment }: Mark): number => segment?.last ?? 0

const Marked = Schema.Struct({
  events: Schema.Tuple([
    Schema.Struct({ type: Schema.Literal(SEGMENT_ARCHIVED), v: Schema.Literal(1), segment: SegmentName })
  ])
})
const readMarked = Schema.decodeUnknownSync(Schema.fromJsonString(Marked))

/** The last sequence that the archive covers, as any replica of the log knows it. */
export const archivedThrough = async (manager: JetStreamManager): Promise<number> => {
  const found = await manager.direct.getMessage(streams.events, { last_by_subj: MARK_SUBJECT })
  return found === null ? 0 : readMarked(found.string()).events[0].segment.last
}

/** Reads the mark from the leader of the log. */
export const newestMark = async (nats: NatsConnection): Promise<Mark> => {
  const found = await lastMessage(nats, streams.events, MARK_SUBJECT, TIMEOUT_MS)
  if (found === null) return NO_MARK
  return { seq: found.seq, segment: readMarked(new TextDecoder().decode(found.data)).events[0].segment }
}
