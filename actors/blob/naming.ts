/**
 * Adds and removes a record's references to blobs in the record's own commit. So a blob with references is not deleted
 * (state.ts).
 */
import { Effect } from "effect"
import type { BlobRef } from "../../schemas/blob/operations.ts"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import type { Companion, Decision, Timer } from "../engine/definition.ts"
import { eventsOf } from "../engine/events.ts"
import type { EventShape } from "../log/commit.ts"
import type { EventLog } from "../log/commit.ts"
import { collectAt, isStanding } from "./decide.ts"
import { BlobEvent, type BlobState, evolveBlob, NO_BLOB } from "./state.ts"
import { subjects } from "../../schemas/subjects.ts"

interface BlobAt {
  readonly seq: number
  readonly state: BlobState
}

export type BlobsAt = ReadonlyMap<string, BlobAt>

/** Reads the newest commit of each blob, which holds its whole state. */
export const blobsAt = (
  log: Pick<EventLog, "last">,
  refs: ReadonlyArray<BlobRef | null | undefined>
): Effect.Effect<BlobsAt, Refusal> => {
  const ids = [...new Set(refs.flatMap((ref) => (ref === null || ref === undefined ? [] : [ref.sha256])))]
  if (ids.length === 0) return Effect.succeed(NONE)
  return Effect.map(Effect.all(ids.map((id) => blobAt(log, id))), (all) => new Map(all))
}

const NONE: BlobsAt = new Map()

const blobAt = (log: Pick<EventLog, "last">, id: string): Effect.Effect<readonly [string, BlobAt], Refusal> =>
  Effect.tryPromise({
    try: async (): Promise<readonly [string, BlobAt]> => {
      const last = await log.last(subjects.event("blob", id))
      if (last === null) return [id, { seq: 0, state: NO_BLOB }]
      return [id, { seq: last.seq, state: eventsOf(BlobEvent, last.commit).reduce(evolveBlob, NO_BLOB) }]
    },
    catch: () => unavailable("The stored bytes cannot be looked up at the moment.")
  })

/** The refusal of a new reference to a blob that is not kept. */
const notKept = unavailable("These bytes are not kept any more. It is safe to send them again.")

/** The change in each blob's number of references, by SHA-256. */
const changesOf = (
  before: ReadonlyArray<BlobRef>,
  after: ReadonlyArray<BlobRef>
): ReadonlyMap<string, { readonly ref: BlobRef; readonly by: number }> => {
  const changes = new Map<string, { readonly ref: BlobRef; readonly by: number }>()
  const count = (ref: BlobRef, by: number): void => {
    changes.set(ref.sha256, { ref, by: (changes.get(ref.sha256)?.by ?? 0) + by })
  }
  for (const ref of before) count(ref, -1)
  for (const ref of after) count(ref, 1)
  return changes
}

interface BlobChange {
  /** The blobs that the record refers to before its decision, and after it. */
  readonly before: ReadonlyArray<BlobRef>
  readonly after: ReadonlyArray<BlobRef>
  readonly blobs: BlobsAt
  /** Unix ms. */
  readonly at: number
  readonly graceMs: number
}

/** Adds to a decision the commits for the blobs that it newly refers to, and for those that it no longer refers to. */
export const withBlobReferences = <Event extends EventShape, Reply>(
  decision: Decision<Event, Reply>,
  { before, after, blobs, at, graceMs }: BlobChange
): Decision<Event, Reply> => {
  if ("refused" in decision) return decision
  const companions: Array<Companion> = []
  const timers: Array<Timer> = []
  for (const [id, { ref, by }] of changesOf(before, after)) {
    if (by === 0) continue
    const { seq, state } = blobs.get(id) ?? { seq: 0, state: NO_BLOB }
    if (!isStanding(state)) {
      if (by > 0) return { refused: notKept }
      continue
    }
    const names = Math.max(0, state.names + by)
    const until = by < 0 && names === 0 ? at + graceMs : state.until
    const event: BlobEvent = { type: by > 0 ? "blob.named" : "blob.released", v: 1, size: ref.size, names, until }
    companions.push({ kind: "blob", id, expected: seq, events: [event] })
    if (by < 0 && names === 0) timers.push(collectAt(id, until))
  }
  if (companions.length === 0) return decision
  return {
    ...decision,
    companions: [...(decision.companions ?? []), ...companions],
    timers: [...(decision.timers ?? []), ...timers]
  }
}
