/**
 * The log on JetStream: group commits and reads.
 *
 * Invariants
 *  - Commits that gather while a batch is in flight leave together, in one or two JetStream atomic batches of at most
 *    `commit_batch_max` messages in all. Each one names the expected last sequence of its own subject, unless it is
 *    `unfenced`. With `sync_interval: always` the server fsyncs the stream before it acknowledges a batch: an
 *    acknowledged commit is durable.
 *  - A group (one command on several subjects) is never split over two batches. No batch contains a subject twice: the
 *    second group waits for the next batch.
 *  - A refused batch wrote nothing. The refusal does not name the wrong member, so the two halves are sent again in
 *    parallel, and so on. A group is a conflict only if it is refused alone, or if the archive contradicts its expected
 *    sequences. One conflict in a thousand groups costs the others the time of some ten batches.
 *  - Groups of one subject and groups of several leave as two parallel batches, because groups of several are refused
 *    more often: other actors write to their further subjects too.
 *  - A stream without a leader (its server was stopped, and the others elect a new one) has written nothing. The batch
 *    is sent again until its time is up. Its expected sequences keep it from being written twice.
 *  - A read contains everything that was acknowledged before. A replica that answers may be behind, so its answer
 *    counts only once it reaches as far as the leader says.
 *  - A subject without commits in the log may have some in the archive (archive/mark.ts). Before an append to it, the
 *    archive is asked, and the append's batch is refused if the archive has grown meanwhile. Sequences continue across
 *    the two: an append expects the last sequence of its subject, wherever that commit is.
 *  - The archive is not asked for subjects that it cannot have:
 *      - drawn subjects, in a group with the subject of the actor that has drawn their number. No other actor begins
 *        them, and that actor commits to its own subject in the same group. So they have not been begun as long as its
 *        own subject is at the expected sequence, which the server or the guard checks. That also excludes an earlier
 *        try of unknown outcome, and a node that was frozen. A counter that went back cannot give a number twice: nodes
 *        check that before they draw any (projections/numbered.ts). Numbers of messages do not count as drawn, because
 *        another actor closes their gaps (message/closer.ts).
 *      - passing subjects (archive/mark.ts). The log itself has them for as long as they matter.
 *  - The archive is asked for a group while other batches are under way, and the group waits for the answer. By the
 *    time it leaves, its subjects may have changed: the server checks that for the log, and the guard for the archive.
 *  - A group is sent only while it holds. Its sender may have been frozen since it decided, and a later owner of the
 *    actor may have found nothing to write, which moves no sequence.
 *  - If no acknowledgement comes in time, or the connection is lost, the outcome is reported as unknown. The caller
 *    reads the log before it decides anything else, and the expected sequence stops a late append.
 */
import { headers, type Msg, nuid, type NatsConnection } from "@nats-io/transport-node"
import type { Clock } from "effect"
import { delay, monotonicMs } from "../../schemas/runtime/clock.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { TRACEPARENT } from "../../schemas/runtime/trace/traceparent.ts"
import { directGet, directLast } from "./direct-get.ts"
import { EXPECTED, lastEntry, PREVIOUS, previousIn } from "./last-entry.ts"
import { lastMessage, leaderMessage } from "./last-message.ts"
import { LEADERLESS_PAUSE_MS } from "../../schemas/runtime/bus/requests.ts"
import { requestsOf } from "./requests.ts"
import { traceIdOf } from "./traceparent.ts"
import type { Archive } from "./archive/archive.ts"
import { placeOf } from "./archive/segment.ts"
import { EXPECTED_OF, GUARD_SUBJECT, GUARD_TTL, isPassing, laneOf } from "./archive/mark.ts"
import type { Append, AppendResult, Commit, EventLog, LogEntry, LogPage, Tip, WrittenCommit } from "./commit.ts"
import {
  INCOMPLETE_BATCH,
  NO_ROOM,
  STORE_FAILED,
  WRONG_LAST_SEQUENCE,
  WRONG_LAST_SEQUENCE_IN_BATCH
} from "./jetstream-codes.ts"

const ACK_TIMEOUT_MS = 5000
/**
 * The smallest gap between the starts of two batches. The server flushes each batch to disk, so a few large ones cost
 * less than many small ones. A lone commit does not wait.
 */
const BATCH_GAP_MS = 5
/**
 * The number of parts of refused batches that may be under way at the same time. A server accepts 50 for each stream.
 */
const PARTS_ABREAST = 8
const READ_TIMEOUT_MS = 3000
/** The pause before a replica that is behind is asked again. */
const BEHIND_PAUSE_MS = 5
/**
 * The number of tries of a group that was refused although its subjects are at the expected sequences, and the pause
 * before each try.
 */
const STANDING_TRIES = 50
const STANDING_PAUSE_MS = 5

/** The most by which the clocks of nodes and servers are expected to differ. */
const CLOCKS_APART_MS = 10_000
/** Commits of one subject that are looked through for those of a command. */
const SINCE_MAX = 256

/** Refusals by which the server says that an expected sequence was wrong, for a single message or inside a batch. */
const WRONG_SEQUENCE = new Set([WRONG_LAST_SEQUENCE, WRONG_LAST_SEQUENCE_IN_BATCH])
/** The `code` of a refusal that means: nothing was written, and a later try may succeed. */
const UNAVAILABLE = 503
const isFull = ({ err_code = 0, description = "" }: NonNullable<BatchAck["error"]>): boolean =>
  NO_ROOM.has(err_code) || (err_code === STORE_FAILED && /maximum|no space|insufficient/i.test(description))

/** Called for each batch that was sent: its number of commits, its outcome, and its duration. */
export interface LogObserver {
  readonly batch: (commits: number, outcome: BatchOutcome["type"], seconds: number) => void
}

/** The answer of the archive about a group's subjects that the log may have dropped. */
interface ArchiveLook {
  /** `unasked`: the index did not answer. */
  readonly stands: "expected" | "otherwise" | "unasked"
  /** The mark for which the index was asked; `null` if it was not asked. */
  readonly mark: number | null
  /** Appends to subjects without any commit in the log. */
  readonly gone: ReadonlySet<Append>
}

interface Group {
  readonly appends: ReadonlyArray<Append>
  readonly holds: () => boolean
  readonly resolve: (result: AppendResult) => void
  /** The look into the archive. It begins when the group arrives, while another batch may be under way. */
  looking: Promise<ArchiveLook>
  look: ArchiveLook | null
}

interface BatchAck {
  readonly seq?: number
  readonly count?: number
  readonly error?: { readonly code?: number; readonly err_code?: number; readonly description?: string }
}

/** Groups that go in one batch, and how often they were refused for no known reason. */
interface Part {
  readonly groups: ReadonlyArray<Group>
  readonly tries: number
}

type BatchOutcome =
  | { readonly type: "written"; readonly last: number }
  | { readonly type: "refused" }
  | { readonly type: "full" }
  | { readonly type: "unasked" }
  | { readonly type: "unknown" }

type GroupOutcome = BatchOutcome | { readonly type: "lost" }

export interface LogBounds {
  readonly batchMax: number
  readonly queueMax: number
  /** True if the stream has replicas. Any of them may answer a read. */
  readonly replicated?: boolean
  readonly archive?: Archive | undefined
}

const NOTHING_ASKED: ArchiveLook = { stands: "expected", mark: null, gone: new Set() }
const NONE = Promise.resolve(NOTHING_ASKED)
const ALWAYS = (): boolean => true
const UNASKED: ArchiveLook = { stands: "unasked", mark: null, gone: new Set() }

const utf8 = new TextEncoder()
const text = new TextDecoder()

export class JetStreamLog implements EventLog {
  private readonly clock: Clock.Clock
  private readonly nats: NatsConnection
  private readonly bounds: LogBounds
  private readonly observer: LogObserver | undefined
  /**
   * Counted since the start: groups refused because a subject was not at the expected sequence, or because too many
   * waited.
   */
  readonly counts = { conflicts: 0, overloaded: 0 }
  private queue: Array<Group> = []
  private inFlight = false
  private lastBatchAt = Number.NEGATIVE_INFINITY
  /** The next lane of the mark. Each process starts at a random one, so that they differ. */
  private turn = Math.floor(Math.random() * 1000)

  constructor(clock: Clock.Clock, nats: NatsConnection, bounds: LogBounds, observer?: LogObserver) {
    this.clock = clock
    this.nats = nats
    this.bounds = bounds
    this.observer = observer
  }

  get waiting(): number {
    return this.queue.length
  }

  append(appends: ReadonlyArray<Append>, holds = ALWAYS): Promise<AppendResult> {
    if (this.queue.length >= this.bounds.queueMax) {
      this.counts.overloaded++
      return Promise.resolve({ ok: false, reason: "overloaded" })
    }
    return new Promise((resolve) => {
      this.queue.push(this.looked({ appends, holds, resolve, looking: NONE, look: NOTHING_ASKED }))
      if (!this.inFlight) {
        this.inFlight = true
        // Further appends of this turn of the event loop join the same batch.
        setImmediate(() => void this.pump())
      }
    })
  }

  private async pump(): Promise<void> {
    while (this.queue.length > 0) {
      const early = this.lastBatchAt + BATCH_GAP_MS - monotonicMs(this.clock)
      if (early > 0) await delay(this.clock, early)
      const batches = this.takeBatches()
      if (batches.length === 0) {
        await Promise.race(this.queue.filter(({ look }) => look === null).map(({ looking }) => looking))
        continue
      }
      this.lastBatchAt = monotonicMs(this.clock)
      await Promise.all(batches.map((groups) => this.written(groups)))
    }
    this.inFlight = false
  }

  /** Writes a batch. All its groups are settled when this resolves. */
  private async written(batch: ReadonlyArray<Group>): Promise<void> {
    const parts: Array<Part> = [{ groups: batch, tries: 0 }]
    while (parts.length > 0) {
      const abreast = parts.splice(0, PARTS_ABREAST)
      const looked = await Promise.all(abreast.map(({ groups }) => this.fitting(groups)))
      // Nothing is waited for between this and the sending.
      const fitting = looked.map((groups) => this.holding(groups))
      const outcomes = await Promise.all(fitting.map((groups) => this.observed(groups)))
      if (outcomes.some(({ type }) => type === "refused")) await this.bounds.archive?.refresh().catch(() => false)
      const further = outcomes.map(async (outcome, index): Promise<ReadonlyArray<Part>> => {
        const [groups, tries] = [fitting[index] ?? [], abreast[index]?.tries ?? 0]
        const half = Math.ceil(groups.length / 2)
        if (outcome.type !== "refused") {
          this.settle(groups, outcome)
          return []
        }
        const moved = this.hasMoved(groups)
        // The log may have dropped a subject since it was looked for.
        for (const group of groups) this.looked(group)
        if (moved) return [{ groups, tries }]
        if (groups.length > 1)
          return [groups.slice(0, half), groups.slice(half)].map((some) => ({ groups: some, tries }))
        if (tries < STANDING_TRIES && (await this.stand(groups))) {
          await delay(this.clock, STANDING_PAUSE_MS)
          for (const group of groups) this.looked(group)
          return [{ groups, tries: tries + 1 }]
        }
        this.settle(groups, outcome)
        return []
      })
      parts.push(...(await Promise.all(further)).flat())
    }
  }

  /**
   * Returns the groups that may be sent, because the archive does not contradict what they expect. Settles the others.
   */
  private async fitting(groups: ReadonlyArray<Group>): Promise<ReadonlyArray<Group>> {
    for (;;) {
      const looks = await Promise.all(groups.map(({ looking }) => looking))
      const mark = this.bounds.archive?.mark.seq ?? 0
      // One mark guards a batch, the newest that is known. Groups that were looked up at another mark are looked up
      // again.
      const stale = groups.filter((_, index) => (looks[index]?.mark ?? mark) !== mark)
      for (const group of stale) this.looked(group)
      if (stale.length > 0) continue
      for (const [index, { stands }] of looks.entries())
        if (stands !== "expected")
          this.settle(groups.slice(index, index + 1), { type: stands === "unasked" ? "unasked" : "refused" })
      return groups.filter((_, index) => looks[index]?.stands === "expected")
    }
  }

  /** Returns the groups that hold, and settles the others. */
  private holding(groups: ReadonlyArray<Group>): ReadonlyArray<Group> {
    const lost = groups.filter(({ holds }) => !holds())
    if (lost.length === 0) return groups
    this.settle(lost, { type: "lost" })
    return groups.filter((group) => !lost.includes(group))
  }

  /** Starts the look into the archive if some of the group's subjects may be there. Returns the group. */
  private looked(group: Group): Group {
    const { archive } = this.bounds
    const asked =
      archive === undefined
        ? []
        : group.appends.filter((append, place) => append.expected <= archive.through && mayBeArchived(append, place))
    if (archive === undefined || asked.length === 0) return Object.assign(group, { look: NOTHING_ASKED, looking: NONE })
    const looking = this.lookFor(asked, archive).catch((): ArchiveLook => UNASKED)
    void looking.then((look) => {
      if (group.looking === looking) group.look = look
    })
    return Object.assign(group, { look: null, looking })
  }

  private async lookFor(asked: ReadonlyArray<Append>, archive: Archive): Promise<ArchiveLook> {
    const found = await Promise.all(asked.map((append) => this.archivedAt(append, archive)))
    const gone = new Set(asked.filter((_, index) => found[index]?.mark !== null))
    const marks = found.map(({ mark }) => mark).filter((mark) => mark !== null)
    const stands = asked.every(({ expected }, index) => found[index]?.newest === expected) ? "expected" : "otherwise"
    return { stands, mark: marks.length === 0 ? null : Math.min(...marks), gone }
  }

  /** The last sequence of a subject whose commits may all be archived. `mark` is `null` if they are not. */
  private async archivedAt(
    { subject, expected }: Append,
    archive: Archive
  ): Promise<{ readonly newest: number; readonly mark: number | null }> {
    // Sealed commits stay in the log for a moment longer.
    const hot = expected === 0 ? 0 : await this.lastSeqHot(subject)
    if (hot > 0) return { newest: hot, mark: null }
    // If this changes, the guard detects it.
    return archive.mark.seq === 0 ? { newest: 0, mark: 0 } : archive.stand(subject)
  }

  /** True if the archive has grown since it was asked for these groups. */
  private hasMoved(groups: ReadonlyArray<Group>): boolean {
    const mark = markOf(groups)
    return mark !== null && mark !== this.bounds.archive?.mark.seq
  }

  /**
   * True if all subjects of refused groups are at the expected sequence. The refusal may then have another cause: the
   * server dropped a subject from the log a moment ago, or another batch with the same lane was under way.
   */
  private async stand(groups: ReadonlyArray<Group>): Promise<boolean> {
    if (this.bounds.archive === undefined) return false
    const fenced = groups.flatMap(({ appends }) => appends).filter(({ unfenced }) => unfenced !== true)
    const standing = fenced.map(async ({ subject, expected }) => (await this.lastSeq(subject)) === expected)
    return Promise.all(standing).then(
      (all) => all.every((stands) => stands),
      () => false
    )
  }

  private async observed(groups: ReadonlyArray<Group>): Promise<BatchOutcome> {
    if (groups.length === 0) return { type: "unasked" }
    const began = monotonicMs(this.clock)
    const outcome = await this.publish(groups)
    this.observer?.batch(commitsIn(groups), outcome.type, (monotonicMs(this.clock) - began) / 1000)
    return outcome
  }

  private settle(groups: ReadonlyArray<Group>, outcome: GroupOutcome): void {
    if (outcome.type === "refused") this.counts.conflicts += groups.length
    settle(groups, outcome)
  }

  /** If there is an archive, one place of a batch is for the guard. */
  private get batchMax(): number {
    return this.bounds.batchMax - (this.bounds.archive === undefined ? 0 : 1)
  }

  /** Takes up to two batches from the queue. None is empty, and no subject is in both. */
  private takeBatches(): ReadonlyArray<ReadonlyArray<Group>> {
    const [alone, joint, later]: [Array<Group>, Array<Group>, Array<Group>] = [[], [], []]
    const taken = new Set<string>()
    let size = 0
    for (const group of this.queue) {
      // A group that is too large for a batch is sent alone, and the server refuses it.
      const fits = size === 0 || size + group.appends.length <= this.batchMax
      if (group.look === null) {
        // Later groups with the same subjects stay behind this one.
        for (const append of group.appends) taken.add(append.subject)
        later.push(group)
      } else if (fits && !group.appends.some((append) => taken.has(append.subject))) {
        for (const append of group.appends) taken.add(append.subject)
        size += group.appends.length
        if (group.appends.length === 1) alone.push(group)
        else joint.push(group)
      } else {
        later.push(group)
      }
    }
    this.queue = later
    return [alone, joint].filter((groups) => groups.length > 0)
  }

  private async publish(groups: ReadonlyArray<Group>): Promise<BatchOutcome> {
    const end = monotonicMs(this.clock) + ACK_TIMEOUT_MS
    for (;;) {
      const outcome = await this.publishOnce(groups)
      if (outcome.type !== "unwritten") return outcome
      if (monotonicMs(this.clock) + LEADERLESS_PAUSE_MS >= end) return { type: "unknown" }
      await delay(this.clock, LEADERLESS_PAUSE_MS)
      // Nothing was written, and whoever holds still finds that in the log.
      if (groups.some(({ holds }) => !holds())) return { type: "unknown" }
    }
  }

  private async publishOnce(groups: ReadonlyArray<Group>): Promise<BatchOutcome | { readonly type: "unwritten" }> {
    const all = groups.flatMap((group) => group.appends)
    const last = all.at(-1)
    if (last === undefined) return { type: "unknown" }
    const id = nuid.next()
    const gone = new Set(groups.flatMap(({ look }) => [...(look?.gone ?? [])]))
    const mark = markOf(groups) ?? 0
    let ack: BatchAck
    let place = 0
    try {
      if (gone.size > 0)
        this.nats.publish(GUARD_SUBJECT, undefined, { headers: guardHeaders(id, ++place, laneOf(this.turn++, mark)) })
      for (const append of all.slice(0, -1)) {
        const more = batchHeaders(id, ++place, append, false, gone.has(append))
        this.nats.publish(append.subject, encode(append), { headers: more })
      }
      const ending = batchHeaders(id, ++place, last, true, gone.has(last))
      const reply = await requestsOf(this.nats).request(last.subject, encode(last), ACK_TIMEOUT_MS, ending)
      if (reply === null) return { type: "unknown" }
      if (reply.data.length === 0) return { type: "unwritten" }
      ack = reply.json<BatchAck>()
    } catch {
      return { type: "unknown" }
    }
    if (ack.error === undefined && ack.seq !== undefined) return { type: "written", last: ack.seq }
    if (ack.error?.err_code !== undefined && WRONG_SEQUENCE.has(ack.error.err_code)) return { type: "refused" }
    if (ack.error !== undefined && isFull(ack.error)) return { type: "full" }
    if (ack.error?.code === UNAVAILABLE || ack.error?.err_code === INCOMPLETE_BATCH) return { type: "unwritten" }
    logNow("error", "log", { error: ack.error })
    return { type: "unknown" }
  }

  async read(subject: string, after: number, max: number, upTo?: number): Promise<LogPage> {
    const archive = this.archiveOf(subject)
    const page = unbroken(await this.readHot(subject, after, max, upTo))
    const [first] = page.entries
    if (archive === undefined || first?.previous === after) return page
    // The commits in between are archived or forgotten.
    const older = await archive.history(subject, after, first?.previous)
    const entries = older.filter(({ seq }) => first === undefined || seq < first.seq)
    return entries.length === 0 ? page : { entries, more: true }
  }

  private async readHot(subject: string, after: number, max: number, upTo = 0): Promise<LogPage> {
    const end = monotonicMs(this.clock) + READ_TIMEOUT_MS
    const isHot = upTo > (this.bounds.archive?.through ?? 0)
    const [first, stands] = await Promise.all([
      this.readAny(subject, after, max),
      this.bounds.replicated !== true ? 0 : isHot ? upTo : this.lastSeqHot(subject)
    ])
    let page = first
    while (!page.more && (page.entries.at(-1)?.seq ?? after) < stands) {
      if (await this.isArchived(stands)) return { ...page, more: page.entries.length > 0 }
      if (monotonicMs(this.clock) >= end) throw new Error("no replica that answers has caught up with the log")
      await delay(this.clock, BEHIND_PAUSE_MS)
      page = await this.readAny(subject, after, max)
    }
    return page
  }

  /** True if the commit of this sequence was archived, so that replicas may have dropped it. */
  private async isArchived(seq: number): Promise<boolean> {
    const { archive } = this.bounds
    if (archive === undefined) return false
    await archive.refresh()
    return seq <= archive.through
  }

  /** Reads from any replica, as far as that replica has the subject. */
  private async readAny(subject: string, after: number, max: number): Promise<LogPage> {
    const entries: Array<LogEntry> = []
    let more = false
    await directGet(this.nats, streams.events, { seq: after + 1, next_by_subj: subject, batch: max }, (message) => {
      entries.push(entryOf(message))
      more = Number(message.headers?.get("Nats-Num-Pending")) > 0
    })
    return { entries, more }
  }

  async tip(subject: string): Promise<Tip | null> {
    const entry = await this.lastHot(subject)
    if (entry !== null) return { seq: entry.seq, entry }
    const seq = (await this.archiveOf(subject)?.newest(subject)) ?? 0
    return seq === 0 ? null : { seq, entry: null }
  }

  async last(subject: string): Promise<LogEntry | null> {
    return (await this.lastHot(subject)) ?? (await this.archiveOf(subject)?.last(subject)) ?? null
  }

  /** The archive, if commits of this subject may be in it alone. */
  private archiveOf(subject: string): Archive | undefined {
    return isPassing(subject) ? undefined : this.bounds.archive
  }

  private async lastHot(subject: string): Promise<LogEntry | null> {
    if (this.bounds.replicated === true) return lastEntry(this.nats, subject, READ_TIMEOUT_MS)
    const message = await directLast(this.nats, streams.events, subject, READ_TIMEOUT_MS)
    return message === null ? null : entryOf(message)
  }

  async lastSeq(subject: string): Promise<number> {
    const hot = await this.lastSeqHot(subject)
    return hot > 0 ? hot : ((await this.archiveOf(subject)?.newest(subject)) ?? 0)
  }

  private async lastSeqHot(subject: string): Promise<number> {
    return (await lastMessage(this.nats, streams.events, subject, READ_TIMEOUT_MS))?.seq ?? 0
  }

  async commitsOf(command: string, subject: string, at: number): Promise<ReadonlyArray<WrittenCommit>> {
    let first = 0
    const since = { start_time: new Date(at - CLOCKS_APART_MS).toISOString(), next_by_subj: subject, batch: SINCE_MAX }
    await directGet(this.nats, streams.events, since, (message) => {
      const { seq, commit } = entryOf(message)
      if (commit.id === command) first = seq
    })
    const found: Array<WrittenCommit> = []
    if (first === 0) return found
    while (found.length < this.bounds.batchMax) {
      const wanted = { seq: first + found.length, next_by_subj: subjects.events }
      const message = await leaderMessage(this.nats, streams.events, wanted, READ_TIMEOUT_MS)
      if (message?.seq !== wanted.seq || commitIn(message.data).id !== command) break
      found.push({ ...placeOf(message.subject), seq: message.seq })
    }
    return found
  }
}

/** The entries up to the first gap. The log may have dropped the missing ones while it was read. */
const unbroken = ({ entries, more }: LogPage): LogPage => {
  const gap = entries.findIndex(
    ({ previous }, at) => at > 0 && previous !== undefined && previous !== entries[at - 1]?.seq
  )
  return gap < 0 ? { entries, more } : { entries: entries.slice(0, gap), more: true }
}

const mayBeArchived = (append: Append, place: number): boolean =>
  append.unfenced !== true &&
  !(append.drawn === true && append.expected === 0 && place > 0) &&
  !isPassing(append.subject)

/** The mark for which the archive was asked about the subjects of a batch; `null` if it was not asked. */
const markOf = (groups: ReadonlyArray<Group>): number | null =>
  groups.reduce<number | null>((mark, { look }) => look?.mark ?? mark, null)

const commitIn = (data: Uint8Array): Commit => JSON.parse(text.decode(data))

const entryOf = ({ headers: of, data }: Msg): LogEntry => {
  const commit = commitIn(data)
  const previous = previousIn((name) => of?.get(name))
  const traceId = traceIdOf(of)
  return {
    seq: Number(of?.get("Nats-Sequence")),
    commit,
    ...(previous === null ? {} : { previous }),
    ...(traceId === null ? {} : { trace_id: traceId })
  }
}

const encode = (append: Append): Uint8Array => utf8.encode(JSON.stringify(append.commit))

const placeHeaders = (id: string, sequence: number) => {
  const all = headers()
  all.set("Nats-Batch-Id", id)
  all.set("Nats-Batch-Sequence", String(sequence))
  return all
}

const guardHeaders = (id: string, sequence: number, { subject, expected }: ReturnType<typeof laneOf>) => {
  const all = placeHeaders(id, sequence)
  all.set(EXPECTED, String(expected))
  all.set(EXPECTED_OF, subject)
  all.set("Nats-TTL", GUARD_TTL)
  return all
}

const batchHeaders = (id: string, sequence: number, append: Append, commit: boolean, gone: boolean) => {
  const all = placeHeaders(id, sequence)
  if (append.unfenced !== true) all.set(EXPECTED, String(gone ? 0 : append.expected))
  if (gone && append.expected > 0) all.set(PREVIOUS, String(append.expected))
  if (commit) all.set("Nats-Batch-Commit", "1")
  if (append.keepSeconds !== undefined) all.set("Nats-TTL", `${append.keepSeconds}s`)
  if (append.traceparent !== undefined) all.set(TRACEPARENT, append.traceparent)
  return all
}

const commitsIn = (groups: ReadonlyArray<Group>): number => groups.reduce((sum, group) => sum + group.appends.length, 0)

const settle = (groups: ReadonlyArray<Group>, outcome: GroupOutcome): void => {
  if (outcome.type !== "written") {
    const reason = outcome.type === "refused" ? "conflict" : outcome.type
    for (const group of groups) group.resolve({ ok: false, reason })
    return
  }
  const batch = commitsIn(groups)
  let seq = outcome.last - batch
  for (const group of groups) {
    group.resolve({ ok: true, seqs: group.appends.map(() => ++seq), batch })
  }
}
