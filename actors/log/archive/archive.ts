/**
 * Reads the archive: the commits of one actor, or all commits in order.
 *
 * Invariants
 *  - An answer never lacks a commit that the mark says is archived: if the index or a segment is missing, reading
 *    fails. Whenever the index is asked for a subject, the mark is read too, because the index may have been lost.
 *  - Commits that the log would have forgotten by now are left out. They may be gone (ending.ts).
 *  - The number of open segments and unpacked blocks in memory is bounded.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import type { Clock } from "effect"
import { delay, monotonicMs, wallMs } from "../../../schemas/runtime/clock.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import type { LogEntry } from "../commit.ts"
import { Gathered } from "../gathered.ts"
import { traceIdIn } from "../traceparent.ts"
import { partsIn } from "./ending.ts"
import type { IndexTable, Newest } from "./index-table.ts"
import { type Mark, newestMark, NO_MARK, throughOf } from "./mark.ts"
import type { Objects } from "./objects.ts"
import { type Archived, archivedIn, headOf, isOf, objectName, Segment, type SegmentName } from "./segment.ts"

const SEGMENTS_KEPT = 256
const BLOCKS_KEPT = 64
const BLOCKS_ABREAST = 8
const BLOCKS_AHEAD = 4
/** The number of commits that a page looks at, for each commit that it may contain. */
const LOOKED_FOR_EACH = 16
const ASKS = { together: 512, waiting: 20_000 }
const REPAIR_GAP_MS = 5000
/** The time that a reader waits for a repair. A long index takes longer, and readers are refused meanwhile. */
const REPAIR_WAIT_MS = 1000
/** Commits of one actor after which a page of its history ends. */
const HISTORY_PAGE = 1000
const TRAILS_KEPT = 64
/** The number of commits that a search by time looks at in one page. */
const TIMES_PAGE = 10_000

/** Caches the values that were asked for last, by key. A value that could not be made is not kept. */
class RecentValues<Value> {
  private readonly values = new Map<string, Promise<Value>>()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  of(key: string, make: () => Promise<Value>): Promise<Value> {
    const known = this.values.get(key)
    const value = known ?? make()
    this.values.delete(key)
    this.values.set(key, value)
    if (known !== undefined) return value
    void value.catch(() => this.values.delete(key))
    const [oldest] = this.values.keys()
    if (this.values.size > this.most && oldest !== undefined) this.values.delete(oldest)
    return value
  }
}

/**
 * The places of a subject's commits: the newest commit of each segment, starting with the newest segment. The trail is
 * followed backwards: a subject's oldest commit in a segment names the subject's commit before it. It is kept, because
 * a long history is read in pages from its beginning.
 */
interface Trail {
  readonly ends: Array<number>
  /** The next sequence to read; 0 if all places are known. */
  next: number
}

interface IndexAnswer {
  readonly newest: Newest | null
  readonly mark: number
}

export interface ArchivedTip {
  /** 0 if the subject has no archived commit that is still kept. */
  readonly newest: number
  /** Sequence of the mark's commit for which `newest` is valid. */
  readonly mark: number
}

export interface ArchivedPage {
  readonly commits: ReadonlyArray<Archived>
  /** The sequence up to which the archive was read. It has no other wanted commits up to there. */
  readonly reached: number
}

export interface ArchiveParts {
  readonly clock: Clock.Clock
  readonly nats: NatsConnection
  readonly objects: Objects
  readonly index: IndexTable
  /** Brings the index up to the mark. It is called while the index does not reach it, at most every `REPAIR_GAP_MS`. */
  readonly repair?: () => Promise<void>
}

export class Archive {
  mark: Mark = NO_MARK
  private readonly parts: ArchiveParts
  private repairedAt = Number.NEGATIVE_INFINITY
  private repairing: Promise<void> | null = null
  private questions = 0
  private answered = 0
  /** The known segments in order. Readers fail at a gap. */
  private segments: ReadonlyArray<SegmentName> = []
  private readonly opened = new RecentValues<Segment>(SEGMENTS_KEPT)
  private readonly blocks = new RecentValues<ReadonlyArray<string>>(BLOCKS_KEPT)
  private readonly trails = new RecentValues<Trail>(TRAILS_KEPT)
  private readonly asks = new Gathered<string, IndexAnswer>(ASKS, (subjects) => this.asked(subjects))

  constructor(parts: ArchiveParts) {
    this.parts = parts
  }

  /** The last sequence that the archive covers, as far as this process knows. */
  get through(): number {
    return throughOf(this.mark)
  }

  get clock(): Clock.Clock {
    return this.parts.clock
  }

  /** Reads the mark. True if it has changed. An answer that comes after a newer one is ignored. */
  async refresh(): Promise<boolean> {
    const asked = ++this.questions
    const mark = await newestMark(this.parts.nats)
    const moved = mark.seq !== this.mark.seq
    if (asked < this.answered) return moved
    this.answered = asked
    this.mark = mark
    return moved
  }

  /** The sequence of the newest commit of a subject that is archived and not forgotten; 0 if there is none. */
  async newest(subject: string): Promise<number> {
    return (await this.stand(subject)).newest
  }

  /** Like `newest`, with the mark for which the result is valid. */
  async stand(subject: string): Promise<ArchivedTip> {
    const { newest, mark } = await this.asks.do(subject)
    return { newest: newest === null || this.isOver(newest.expires) ? 0 : newest.seq, mark }
  }

  private async asked(subjects: ReadonlyArray<string>): Promise<(subject: string) => IndexAnswer> {
    const { index } = this.parts
    // Until something is archived, the index has nothing to tell, and nobody waits for Postgres.
    if (this.mark.seq === 0) await this.refresh()
    if (this.mark.seq === 0) return () => ({ newest: null, mark: 0 })
    const [first] = await Promise.all([index.find(subjects), this.refresh()])
    // The mark may have moved between the two questions.
    let answer = first.through < this.through ? await index.find(subjects) : first
    if (answer.through < this.through) {
      await this.repaired()
      answer = await index.find(subjects)
    }
    if (answer.through < this.through)
      throw new Error(`the index of the archive reaches #${answer.through}, and the archive #${this.through}`)
    const mark = this.mark.seq
    return (subject) => ({ newest: answer.of(subject), mark })
  }

  /**
   * Makes what the index lacks, because a Postgres that takes the place of a lost one may not have the newest segments.
   * Resolves when that is done or has failed, after `REPAIR_WAIT_MS`, or at once if the last repair began less than
   * `REPAIR_GAP_MS` ago.
   */
  private async repaired(): Promise<void> {
    const now = monotonicMs(this.clock)
    if (this.repairing === null && now - this.repairedAt >= REPAIR_GAP_MS && this.parts.repair !== undefined) {
      this.repairedAt = now
      this.repairing = this.parts
        .repair()
        .catch((error: unknown) => logNow("warn", "archive", { error }))
        .finally(() => {
          this.repairing = null
        })
    }
    if (this.repairing !== null) await Promise.race([this.repairing, delay(this.clock, REPAIR_WAIT_MS, "unref")])
  }

  /** The newest archived entry of a subject; `null` if there is none. */
  async last(subject: string): Promise<LogEntry | null> {
    const seq = await this.newest(subject)
    if (seq === 0) return null
    const name = await this.named(seq)
    const segment = await this.open(name)
    const line = (await this.block(name, segment.blockAt(seq))).find((one) => one.startsWith(`${seq} `))
    if (line === undefined) throw new Error(`the archive does not have #${seq}, which its index names`)
    return entryOf(archivedIn(line))
  }

  /**
   * The commits of a subject after `after` up to the newest archived one, in order. If they are more than a page, only
   * the oldest are returned. `newest`: the sequence of the newest one, if the log knows it. The log may have forgotten
   * that commit before it was archived.
   */
  async history(subject: string, after: number, newest?: number): Promise<ReadonlyArray<LogEntry>> {
    const found = newest === undefined || newest > this.through ? [] : await this.before(subject, after, newest)
    if (found.length > 0 || (newest !== undefined && newest <= after)) return found
    const known = await this.newest(subject)
    const all = await this.before(subject, after, known)
    if (known > after && all.length === 0 && (await this.newest(subject)) > 0)
      throw new Error(`the archive does not have #${known}, which its index names`)
    return all
  }

  /** The commits after `after` up to `end`, in order. Stops once a page (`HISTORY_PAGE`) is full. */
  private async before(subject: string, after: number, end: number): Promise<ReadonlyArray<LogEntry>> {
    const found: Array<LogEntry> = []
    for (const last of await this.endsOf(subject, after, end)) {
      await this.collect(subject, { after, last }, found)
      if (found.length >= HISTORY_PAGE) break
    }
    return found
  }

  /** For each segment in which the subject has commits after `after`: the newest of them up to `end`, in order. */
  private async endsOf(subject: string, after: number, end: number): Promise<ReadonlyArray<number>> {
    const trail = await this.trails.of(`${subject} ${end}`, () => Promise.resolve({ ends: [], next: end }))
    for (let seq = trail.next; seq > after; seq = trail.next) {
      const before = await this.beforeSegment(subject, seq)
      if (before >= seq) throw new Error(`#${seq} of the archive says that it follows #${before}`)
      // Another reader may have extended the same trail.
      if (trail.next === seq) {
        trail.ends.push(seq)
        trail.next = before
      }
    }
    return trail.ends.filter((last) => last > after).toReversed()
  }

  /** The sequence of the subject's commit before those in the segment that holds this sequence; 0 if there is none. */
  private async beforeSegment(subject: string, seq: number): Promise<number> {
    const oldest = await this.oldestAt(subject, seq)
    if (oldest !== undefined) return oldest.previous ?? (await this.newestBefore(subject, oldest.seq))
    // The commit that named its predecessor may have reached its end and be gone.
    const { hasLost } = await this.open(await this.named(seq))
    return hasLost ? this.newestBefore(subject, seq) : 0
  }

  /** The oldest commit of the subject in the segment that holds this sequence, if it is not after that sequence. */
  private async oldestAt(subject: string, seq: number): Promise<Archived | undefined> {
    const name = await this.named(seq)
    for (const number of await (await this.open(name)).blocksOf(subject)) {
      const line = (await this.block(name, number)).find((one) => isOf(one, subject))
      if (line === undefined) continue
      const oldest = archivedIn(line)
      return oldest.seq <= seq ? oldest : undefined
    }
    return undefined
  }

  /**
   * Collects from one segment the commits after `after` up to `last` that are not forgotten. It stops once a page is
   * full.
   */
  private async collect(
    subject: string,
    { after, last }: { readonly after: number; readonly last: number },
    found: Array<LogEntry>
  ): Promise<void> {
    const name = await this.named(last)
    const segment = await this.open(name)
    const [from, to] = [segment.blockAt(after + 1), segment.blockAt(last)]
    const numbers = (await segment.blocksOf(subject)).filter((number) => number >= from && number <= to)
    for (let at = 0; at < numbers.length && found.length < HISTORY_PAGE; at += BLOCKS_ABREAST) {
      const some = numbers.slice(at, at + BLOCKS_ABREAST).map((number) => this.block(name, number))
      const lines = (await Promise.all(some)).flat().filter((line) => isOf(line, subject))
      for (const commit of lines.map(archivedIn))
        if (commit.seq > after && commit.seq <= last && !this.isOver(commit.expires)) found.push(entryOf(commit))
    }
  }

  /**
   * Searches earlier segments for the subject's newest commit. It is needed if no commit names it, for example because
   * a restore writes commits that name none.
   */
  private async newestBefore(subject: string, seq: number): Promise<number> {
    for (let at = this.placeOf(seq) - 1; at >= 0; at--) {
      const name = this.segments[at]
      if (name === undefined) continue
      for (const number of (await (await this.open(name)).blocksOf(subject)).toReversed()) {
        const line = (await this.block(name, number)).findLast((one) => isOf(one, subject))
        if (line !== undefined) return archivedIn(line).seq
      }
    }
    return 0
  }

  /**
   * Reads at least `size` commits after `after`, in order, and says how far that reaches. At the archive's end there
   * may be fewer; `null` if the archive does not go beyond `after`. `isWanted` decides by subject: other commits are
   * not decoded, and if there are many of them a page has fewer commits.
   */
  async page(
    after: number,
    size: number,
    isWanted: (subject: string) => boolean = () => true
  ): Promise<ArchivedPage | null> {
    const commits: Array<Archived> = []
    let [reached, looked] = [after, 0]
    const isDone = (): boolean => commits.length >= size || looked >= size * LOOKED_FOR_EACH
    const ahead = size === 1 ? 1 : BLOCKS_AHEAD
    while (!isDone()) {
      const name = this.segmentAfter(reached) ?? (await this.newerAfter(reached))
      if (name === undefined) break
      if (name.first > reached + 1) throw new Error(`the index of the archive lacks the segment behind #${reached}`)
      const segment = await this.open(name)
      let next = segment.blockAt(reached + 1)
      const coming: Array<Promise<ReadonlyArray<string>>> = []
      for (let number = next; number < segment.blockCount && !isDone(); number++) {
        for (; next < segment.blockCount && coming.length < ahead; next++) coming.push(awaited(segment.block(next)))
        for (const line of (await coming.shift()) ?? []) {
          const { seq, subject } = headOf(line)
          if (seq <= reached) continue
          reached = seq
          looked++
          if (!isWanted(subject)) continue
          const commit = archivedIn(line)
          if (!this.isOver(commit.expires)) commits.push(commit)
        }
        if (number === segment.blockCount - 1) reached = name.last
      }
      if (segment.blockCount === 0) reached = name.last
    }
    return reached === after ? null : { commits, reached }
  }

  /** One commit by its sequence; `null` if the archive no longer has it. */
  async at(seq: number): Promise<LogEntry | null> {
    const found = (await this.page(seq - 1, 1))?.commits.find((commit) => commit.seq === seq)
    return found === undefined || found.data.length === 0 ? null : entryOf(found)
  }

  /** The last sequence that was stored at or before this time (Unix ms); 0 if there is none. */
  async lastBy(time: number): Promise<number> {
    await this.learn()
    let [low, high] = [0, this.segments.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const name = this.segments[middle]
      const first = name === undefined ? undefined : (await this.page(name.first - 1, 1))?.commits[0]
      if (first !== undefined && first.at > time) high = middle
      else low = middle + 1
    }
    let last = (this.segments[low - 1]?.first ?? 1) - 1
    for (;;) {
      const page = await this.page(last, TIMES_PAGE)
      const later = page?.commits.find(({ at }) => at > time)
      if (page === null || later !== undefined) return later === undefined ? last : later.seq - 1
      last = page.reached
    }
  }

  /**
   * Asks the index for segments that this process does not know yet. Rejects if the index ends before the archive does.
   */
  private async newerAfter(seq: number): Promise<SegmentName | undefined> {
    await this.refresh()
    await this.learn()
    if (this.segmentAfter(seq) === undefined && seq < this.through) {
      await this.repaired()
      await this.learn()
    }
    const name = this.segmentAfter(seq)
    if (name !== undefined || seq >= this.through) return name
    throw new Error(`the index of the archive lacks the segment behind #${seq}`)
  }

  private segmentAfter(seq: number): SegmentName | undefined {
    return this.segments[this.placeOf(seq + 1)]
  }

  private async named(seq: number): Promise<SegmentName> {
    const known =
      this.segmentAt(seq) ??
      (await this.learn(), this.segmentAt(seq)) ??
      (await this.repaired(), await this.learn(), this.segmentAt(seq))
    if (known === undefined) throw new Error(`the archive has no segment with #${seq}`)
    return known
  }

  private block(name: SegmentName, number: number): Promise<ReadonlyArray<string>> {
    return this.blocks.of(`${objectName(name)} ${number}`, async () => (await this.open(name)).block(number))
  }

  private segmentAt(seq: number): SegmentName | undefined {
    const found = this.segments[this.placeOf(seq)]
    return found !== undefined && found.first <= seq ? found : undefined
  }

  private placeOf(seq: number): number {
    let [low, high] = [0, this.segments.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.segments[middle]?.last ?? 0) < seq) low = middle + 1
      else high = middle
    }
    return low
  }

  private async learn(): Promise<void> {
    const last = this.segments.at(-1)?.last ?? 0
    const newer = await this.parts.index.segmentsAfter(last)
    this.segments = [...this.segments.filter((segment) => segment.last <= last), ...newer]
  }

  private open(name: SegmentName): Promise<Segment> {
    const { objects, clock } = this.parts
    const parts = partsIn(objects, clock)
    return this.opened.of(objectName(name), async () => Segment.open(await objects.open(objectName(name)), parts))
  }

  private isOver(expires: number | null): boolean {
    return expires !== null && expires <= wallMs(this.parts.clock)
  }
}

/** Marks the rejection as handled, for a caller that may never wait for the promise. */
const awaited = <A>(promise: Promise<A>): Promise<A> => {
  promise.catch(() => undefined)
  return promise
}

const text = new TextDecoder()

const entryOf = ({ seq, previous, traceparent, data }: Archived): LogEntry => {
  const traceId = traceIdIn(traceparent ?? "")
  return {
    seq,
    commit: JSON.parse(text.decode(data)),
    ...(previous === null ? {} : { previous }),
    ...(traceId === null ? {} : { trace_id: traceId })
  }
}
