/**
 * Moves the older part of the log into the archive.
 *
 * Invariants
 *  - It archives the commits that are older than the hot part, in order. It makes and stores a segment, then writes its
 *    rows to the index, then the mark to the log. Only then does the server drop the part that the mark covers. If a
 *    run ends at any point, the next run continues.
 *  - A segment in the index that no mark names is read until another one replaces it. That one must reach at least as
 *    far, because rows of actors name its commits.
 *  - Commits that have an end are sealed into parts beside the segment. A run ends by removing the parts whose time is
 *    over (ending.ts).
 *  - No commit is dropped before every durable reader of the log (consumers, projections, reactions) is done with it.
 *  - Only the holder of the index's lock archives. An archiver that has lost that lock without noticing does no harm.
 *    The index takes statements of the holder alone (index-table.ts), and a mark is appended only if the run's last
 *    mark is still the newest. The log is dropped up to a written mark, after the lock was confirmed. A segment that it
 *    has stored has another name than the valid one, or the same content.
 *  - Before anything is sealed, the index is brought up to the mark. It may be behind after a restore, or on an empty
 *    Postgres.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect } from "effect"
import { delay, monotonicMs, wallMs } from "../../../schemas/runtime/clock.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { attempt } from "../attempt.ts"
import type { EventLog } from "../commit.ts"
import { directGet } from "../direct-get.ts"
import { previousIn } from "../last-entry.ts"
import { leaderMessage } from "../last-message.ts"
import { traceparentOf } from "../traceparent.ts"
import type { Archive } from "./archive.ts"
import { agreedTime, partsIn, removeEnded } from "./ending.ts"
import type { IndexTable, IndexWriter, Newest } from "./index-table.ts"
import { isGuarding, type Mark, PASSING_SUBJECTS, markAppends, NO_MARK, SEGMENT_ARCHIVED, throughOf } from "./mark.ts"
import type { Objects } from "./objects.ts"
import {
  type Archived,
  archivedIn,
  DamagedSegment,
  type ObjectReader,
  objectName,
  Segment,
  type SegmentName,
  SegmentWriter,
  sha256Of
} from "./segment.ts"

const PAGE = 1000
const TIMEOUT_MS = 3000
/** The pause before a replica that is behind is asked again. */
const BEHIND_PAUSE_MS = 50
/**
 * The most times in a row that replicas behind the leader are asked. Then the run fails, and the next run continues.
 */
const BEHIND_LOOKS_MAX = 200
const EVERYTHING = ">"
/** A segment is full at this number of characters of text. A run holds them in memory. */
const SEGMENT_CHARS = 67_108_864
/** The most segments of one run. The next run continues. */
const SEGMENTS_OF_RUN = 16

export interface ArchivePolicy {
  readonly hotSeconds: number
  /**
   * A segment that is not full is made only if its oldest commit is older than `hotSeconds` by this many seconds. A
   * segment that replaces an unmarked one need not be full either.
   */
  readonly partialSeconds: number
  readonly segmentChars?: number
}

export interface ArchiverParts {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly log: EventLog
  readonly archive: Archive
  readonly index: IndexTable
  readonly objects: Objects
  readonly policy: ArchivePolicy
  readonly kinds: ReadonlyArray<string>
  /**
   * Called when the index has a new segment that no mark names yet. From then on no counter may be lower than the
   * numbers in it.
   */
  readonly indexed: () => Promise<void>
  /** The last sequence that every durable reader of the log is done with. Rejects if it cannot be found out. */
  readonly done: () => Promise<number>
}

/** The mark could not be moved, or ends before this run's mark. */
export class Overtaken extends Error {}

export interface ArchiverRun {
  readonly segments: number
  readonly commits: number
  readonly through: number
}

/**
 * One run: archives commits that are old enough, and drops archived ones from the log. `null` if another process
 * archives or copies the log.
 */
export const archiveOnce = (parts: ArchiverParts): Effect.Effect<ArchiverRun | null, unknown> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    return yield* attempt(() => parts.index.alone((index) => new Run(clock, { ...parts, index }).go()))
  })

interface RunParts extends Omit<ArchiverParts, "index"> {
  readonly index: IndexWriter
}

/**
 * Brings the index up to the mark: adds the segments that it lacks, and removes those of another log. Resolves to that
 * mark.
 */
export const bringIndex = async ({
  archive,
  index,
  objects
}: Pick<RunParts, "archive" | "index" | "objects">): Promise<Mark> => {
  await archive.refresh()
  const { mark, clock } = archive
  const newest = await index.newestSegment()
  const { segment } = mark
  const through = throughOf(mark)
  if (newest?.sha256 === segment?.sha256) return mark
  const known = await index.segmentsAfter(0)
  const lacking: Array<SegmentName> = []
  const has = new Set(known.map(({ sha256 }) => sha256))
  for (let name = segment; name !== null && !has.has(name.sha256);) {
    lacking.unshift(name)
    name = (await checked(objects, name, clock)).footer.previous
  }
  const begins = lacking[0]?.first ?? through + 1
  // These segments belong to another log, with other commits.
  if (known.some(({ last }) => last >= begins && last <= through)) {
    await index.empty()
    return bringIndex({ archive, index, objects })
  }
  const [ahead, ...others] = known.filter(({ last }) => last > through)
  // No mark names these segments, and they do not follow the one that the mark names. The log still has their commits.
  if (others.length > 0 || (ahead !== undefined && ahead.first !== through + 1)) await index.removeSegments(through)
  for (const name of lacking) await index.add(name, await newestIn(await checked(objects, name, clock)))
  logNow("info", "archive", { indexed: lacking.length, through })
  return mark
}

const newestIn = async (segment: Segment): Promise<ReadonlyMap<string, Newest>> => {
  const newest = new Map<string, Newest>()
  for (let number = 0; number < segment.blockCount; number++)
    for (const line of await segment.block(number)) {
      const { subject, seq, expires } = archivedIn(line)
      newest.set(subject, { seq, expires })
    }
  return newest
}

/** Opens a segment and checks that it, and its parts whose time is not over, match its name. Rejects if not. */
export const checked = async (objects: Objects, name: SegmentName, clock: Clock.Clock): Promise<Segment> => {
  const object = await objects.open(objectName(name))
  await checkHash(object, name.sha256, () => `${objectName(name)} in ${objects.place}`)
  const segment = await Segment.open(object, partsIn(objects, clock))
  for (const part of segment.liveParts)
    await checkHash(await segment.openPart(part), part.sha256, () => `${segment.nameOf(part)} in ${objects.place}`)
  return segment
}

const checkHash = async (object: ObjectReader, stated: string, place: () => string): Promise<void> => {
  if ((await sha256Of(object)) !== stated) throw new DamagedSegment(`${place()} does not have the hash that is stated`)
}

interface Stretch {
  /** The last sequence of the index's newest segment. If no mark names that segment, the next one replaces it. */
  readonly least: number
  readonly target: number
}

class Run {
  private readonly clock: Clock.Clock
  private readonly parts: RunParts
  private segments = 0
  private commits = 0
  /**
   * The mark that this run has archived up to. Other readers of this process may learn meanwhile that another archiver
   * has moved it.
   */
  private at: Mark = NO_MARK

  constructor(clock: Clock.Clock, parts: RunParts) {
    this.clock = clock
    this.parts = parts
  }

  async go(): Promise<ArchiverRun> {
    const { index } = this.parts
    this.at = await bringIndex(this.parts)
    // Sealed commits of an earlier run may still be in the log.
    await this.drop()
    await index.removeExpired(wallMs(this.clock))
    const due = await this.target()
    // If an archiver was ended before it could write a mark, no mark names this segment.
    const least = (await index.newestSegment())?.last ?? 0
    const target = least <= due ? due : 0
    while (this.through < target && this.segments < SEGMENTS_OF_RUN) {
      if (!(await this.seal(this.through + 1, { least, target }))) break
      await this.drop()
    }
    // This comes last: if the place does not permit it, the log is archived all the same.
    await removeEnded(this.parts.objects, await agreedTime(this.parts.manager, this.clock))
    return { segments: this.segments, commits: this.commits, through: this.through }
  }

  private get through(): number {
    return throughOf(this.at)
  }

  /** The last sequence that may be archived now. */
  private async target(): Promise<number> {
    const { manager, policy, done } = this.parts
    const { state } = await manager.streams.info(streams.events)
    const cutoff = wallMs(this.clock) - policy.hotSeconds * 1000
    if (state.messages === 0 || cutoff < Date.parse(state.first_ts)) return 0
    const hot = await manager.direct.getMessage(streams.events, { start_time: new Date(cutoff) })
    // A replica that is behind the leader does not know the newer commits.
    if (hot === null && Date.parse(state.last_ts) >= cutoff) return 0
    const old = hot === null ? state.last_seq : hot.seq - 1
    return Math.min(old, await done())
  }

  /** Archives one segment. Returns false if there was not enough for one. */
  private async seal(first: number, { least, target }: Stretch): Promise<boolean> {
    const { nats, objects, index, policy } = this.parts
    const began = monotonicMs(this.clock)
    const writer = new SegmentWriter()
    const newest = new Map<string, Newest>()
    const full = policy.segmentChars ?? SEGMENT_CHARS
    let [seq, oldest, behind] = [first - 1, Number.POSITIVE_INFINITY, 0]
    const isFull = (): boolean => writer.chars >= full && seq >= least
    while (seq < target && !isFull()) {
      const page: Array<Archived> = []
      await directGet(nats, streams.events, { seq: seq + 1, next_by_subj: EVERYTHING, batch: PAGE }, (message) =>
        page.push(sealedOf(message))
      )
      behind = page.length === 0 ? behind + 1 : 0
      if (page.length === 0 && (await this.isBehind(seq, target))) {
        if (behind > BEHIND_LOOKS_MAX) throw new Error(`the replicas of ${streams.events} tell nothing behind #${seq}`)
        await delay(this.clock, BEHIND_PAUSE_MS)
        continue
      }
      if (page.length === 0) seq = target
      const previous = await this.previousOf(page, newest)
      for (const commit of page) {
        if (commit.seq > target || isFull()) {
          seq = commit.seq > target ? target : seq
          break
        }
        seq = commit.seq
        oldest = Math.min(oldest, commit.at)
        if (isGuarding(commit.subject)) continue
        await writer.add(commit.previous === null ? { ...commit, previous: previous(commit, newest) } : commit)
        newest.set(commit.subject, { seq, expires: commit.expires })
      }
    }
    const isOld = oldest <= wallMs(this.clock) - (policy.hotSeconds + policy.partialSeconds) * 1000
    if (writer.commits === 0 || (writer.chars < full && !isOld && seq > least)) return false
    const sealed = await writer.end(first, seq, this.at.segment)
    const name: SegmentName = { first, last: seq, sha256: sealed.sha256 }
    for (const part of sealed.parts) await objects.put(part.name, part.object)
    await objects.put(objectName(name), sealed.object)
    await index.add(name, newest)
    await this.parts.indexed()
    await this.mark(name)
    this.segments++
    this.commits += sealed.commits
    const seconds = (monotonicMs(this.clock) - began) / 1000
    logNow("info", "archive", { first, last: seq, commits: sealed.commits, bytes: sealed.object.length, seconds })
    return true
  }

  /**
   * Finds the predecessors of commits that do not name them. A restore writes such commits, and readers go back from
   * commit to predecessor. `sealed`: the commits of the segment so far.
   */
  private async previousOf(
    page: ReadonlyArray<Archived>,
    sealed: ReadonlyMap<string, Newest>
  ): Promise<(commit: Archived, sealed: ReadonlyMap<string, Newest>) => number> {
    const { archive, index } = this.parts
    const asked = page.filter(({ subject, previous }) => previous === null && !sealed.has(subject))
    const before = new Map<string, number>()
    const found = asked.length === 0 ? null : await index.find([...new Set(asked.map(({ subject }) => subject))])
    for (const { subject, seq } of asked) {
      if (before.has(subject)) continue
      const known = found?.of(subject)?.seq ?? 0
      // The index may contain the commit itself already, in a segment that no mark names.
      const older = known < seq ? [] : (await archive.history(subject, 0)).filter((entry) => entry.seq < seq)
      before.set(subject, known < seq ? known : (older.at(-1)?.seq ?? 0))
    }
    return ({ subject }, now) => now.get(subject)?.seq ?? before.get(subject) ?? 0
  }

  /** True if the leader has a commit after `seq` up to `target`. The replica that answered is then behind. */
  private async isBehind(seq: number, target: number): Promise<boolean> {
    const { nats } = this.parts
    const next = await leaderMessage(nats, streams.events, { seq: seq + 1, next_by_subj: EVERYTHING }, TIMEOUT_MS)
    return next !== null && next.seq <= target
  }

  private async mark(segment: SegmentName): Promise<void> {
    const { log, archive } = this.parts
    const events = [{ type: SEGMENT_ARCHIVED, v: 1, segment }]
    const id = `archive-${segment.first}-${segment.last}`
    const commit = { v: 1, id, op: "log.archive", at: wallMs(this.clock), events } as const
    const result = await log.append(markAppends(this.at, commit))
    await archive.refresh()
    if (archive.mark.segment?.sha256 === segment.sha256) return void (this.at = archive.mark)
    throw new Overtaken(`the mark of the archive was not moved: ${result.ok ? "another has moved it" : result.reason}`)
  }

  private async drop(): Promise<void> {
    const { manager, archive, index, done } = this.parts
    const { through } = this
    if (through === 0) return
    const { state } = await manager.streams.info(streams.events)
    if (state.first_seq > through || state.messages === 0) return
    // A reader that has begun since the mark was written may still need it.
    if ((await done()) < through) return
    // A backup may hold the lock by now, or a restore has replaced this log by an older one.
    await index.confirm()
    await archive.refresh()
    if (archive.through < through) throw new Overtaken(`the archive ends at #${archive.through}, before #${through}`)
    await this.purge(through)
  }

  /**
   * Drops the archived commits, except claims that have not ended: those are only looked up in the log (event-log.ts).
   */
  private async purge(through: number): Promise<void> {
    const { nats, manager, kinds } = this.parts
    const wanted = { seq: 1, next_by_subj: PASSING_SUBJECTS }
    const first = await leaderMessage(nats, streams.events, wanted, TIMEOUT_MS)
    const { streams: all } = manager
    if (first === null || first.seq > through) return void (await all.purge(streams.events, { seq: through + 1 }))
    await all.purge(streams.events, { seq: first.seq })
    // The other subjects are dropped by kind. Subjects of a kind that is not known here stay until the claims before
    // them have ended.
    for (const kind of kinds) {
      const filter = subjects.eventsOf(kind)
      if (filter !== PASSING_SUBJECTS) await all.purge(streams.events, { filter, seq: through + 1 })
    }
  }
}

const sealedOf = ({ headers, data }: Msg): Archived => {
  const at = Date.parse(headers?.get("Nats-Time-Stamp") ?? "")
  const seconds = /^(\d+)s?$/.exec(headers?.get("Nats-TTL") ?? "")?.[1]
  return {
    seq: Number(headers?.get("Nats-Sequence")),
    subject: headers?.get("Nats-Subject") ?? "",
    at,
    previous: previousIn((name) => headers?.get(name)),
    expires: seconds === undefined ? null : at + Number(seconds) * 1000,
    traceparent: traceparentOf(headers) ?? null,
    data
  }
}
