/**
 * An actor's history: its state as the fold of its log, its sequence, and the commands that it remembers.
 *
 * Invariants
 *  - Memory of commands is rebuilt from the log, so it survives restarts and moves (remembered.ts).
 *  - Loading usually takes two reads, however old the log: the newest commit, and the snapshot that it follows. More of
 *    the log is read if commits lie between the two (a node died before it could write the snapshot), or if there is no
 *    snapshot.
 *  - A snapshot at the sequence that the archive's index gives as the actor's last is used without reading a segment.
 *    Both are in one Postgres, where a restore deletes them together, and an archived commit never changes.
 *  - A commit names the one before it, unless a restore wrote it. A snapshot is used only if it is at the log's last
 *    commit, or if a commit of the log names it as the one before. Otherwise the log is an older one, or has lost its
 *    end. The snapshot is then dropped, and a new one is made from the log.
 *  - An actor in memory that is ahead of the log's end is read from the log again, because lost commits must not count.
 *  - Another actor's commit may have begun this one's log, and the node that should have reported it may have died. So
 *    an actor without any commit is looked up in the log at each use.
 *  - An actor of a kind that ends has no snapshot. Once the log has forgotten it, the next load begins anew: at
 *    sequence 0, without a memory of commands.
 *  - An event of a newer release ends the reading (fold.ts). The actor is not served here, and the asker tries another
 *    node.
 */
import type { Limits } from "../../schemas/limits.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { subjects } from "../../schemas/subjects.ts"
import type { ActorDefinition, ActorTypes } from "./definition.ts"
import { foldCommit, UnknownEvent } from "./fold.ts"
import type { RememberedCommand, Snapshot, SnapshotStore } from "./ports.ts"
import { Remembered } from "./remembered.ts"
import type { EventLog, LogEntry, Tip } from "../log/commit.ts"

/**
 * Commits in one read. For each commit that lies alone in a file, the server reads the whole file, which takes some 10
 * ms. Meanwhile it does nothing else for this node, so lease beats wait.
 */
const PAGE = 32
/** An actor with one commit is read from the log alone. From this number of commits on, a snapshot saves a read. */
const SNAPSHOT_MIN_COMMITS = 2

export interface HistoryParts {
  readonly log: EventLog
  readonly snapshots: SnapshotStore
  readonly limits: Limits["service"]
  readonly eventUnknown?: () => void
  readonly unreadable?: (kind: string, id: string, error: unknown) => void
}

export class History<R = never, Parts extends HistoryParts = HistoryParts> {
  state: unknown
  seq = 0
  readonly id: string
  readonly definition: ActorDefinition<ActorTypes, R>
  protected readonly parts: Parts
  /** True if the state contains the whole log, as far as this node knows. */
  loaded = false
  /** True if the node has dropped this actor, which another node may serve by now. */
  forgotten = false
  private readonly remembered: Remembered
  protected loading: Promise<void> | null = null
  /** Incremented whenever the log may have newer commits. A read under way then does not count as fresh. */
  private staleness = 0
  /** Commits that were folded here, without those that the snapshot contains. */
  private commits = 0
  private commitsSinceSnapshot = 0
  private snapshotSeq = 0
  /** True if a stored snapshot was refused. The next one is then written without waiting for further commits. */
  private refusedSnapshot = false
  /** The event that this release does not know, because of which it cannot serve this actor. */
  private unknown: UnknownEvent | null = null

  constructor(definition: ActorDefinition<ActorTypes, R>, id: string, parts: Parts) {
    this.definition = definition
    this.id = id
    this.parts = parts
    this.state = definition.initial
    this.remembered = new Remembered(definition.kind, id)
    this.loaded = definition.logless === true
  }

  get subject(): string {
    return subjects.event(this.definition.kind, this.id)
  }

  /** True if reads may be answered from the present state. */
  get ready(): boolean {
    return this.loaded && (this.seq > 0 || this.definition.logless === true)
  }

  /**
   * Folds the log, starting at the snapshot if there is one. Rejects if it cannot be read, with `UnknownEvent` if a
   * newer release has written to it.
   */
  load(): Promise<void> {
    if (this.ready) return Promise.resolve()
    if (this.unknown !== null) return Promise.reject(this.unknown)
    this.loading ??= this.readLog()
      .catch((error: unknown) => this.unreadable(error))
      .finally(() => {
        this.loading = null
      })
    return this.loading
  }

  /**
   * Reports why the log could not be read. An unknown event is recorded, so that later requests fail without a read.
   */
  private unreadable(error: unknown): never {
    const { kind } = this.definition
    if (!(error instanceof UnknownEvent)) this.parts.unreadable?.(kind, this.id, error)
    else {
      this.unknown = error
      this.parts.eventUnknown?.()
      logNow("warn", "actor", { kind, id: this.id, seq: this.seq, unknown: error.event, error: error.message })
    }
    throw error
  }

  /** Called when the log may have commits that this state lacks. The next use reads the log first. */
  stale(): void {
    if (this.definition.logless === true) return
    this.loaded = false
    this.unknown = null
    this.staleness++
  }

  /**
   * True if the log ends with this state's last commit, or has forgotten it (`ends`). Rejects if the log does not
   * answer.
   */
  async isNewest(): Promise<boolean> {
    const { seq, definition } = this
    const newest = await this.parts.log.lastSeq(this.subject)
    if (newest === seq || (newest < seq && definition.ends === true)) return true
    this.stale()
    return false
  }

  /** `at`: the present time in Unix ms. */
  commandOf(id: string, at: number): RememberedCommand | "passed" | undefined {
    return this.remembered.find(id, at)
  }

  /** Folds a commit. A read of the log and an append may bring the same one, which is then folded once. */
  fold(entry: LogEntry): void {
    if (entry.seq <= this.seq) return
    const { commit } = entry
    // The log has forgotten an earlier actor of this id, and this commit begins a new one.
    if (this.definition.ends === true && entry.previous === 0 && this.seq > 0) this.beginAnew()
    this.state = foldCommit(this.definition, this.state, commit, this.id)
    this.seq = entry.seq
    this.commits++
    this.commitsSinceSnapshot++
    const reply = commit.reply === undefined ? {} : { reply: commit.reply }
    this.remembered.add({ id: commit.id, at: commit.at, ...reply }, this.parts.limits)
  }

  /** A kind that ends has no snapshots, because a row would outlive the commits that it was made from. */
  private get hasSnapshots(): boolean {
    return this.definition.ends !== true
  }

  private beginAnew(): void {
    this.state = this.definition.initial
    this.seq = 0
    this.commits = 0
    this.remembered.restore([], this.parts.limits)
  }

  /** Stores a snapshot when an actor leaves memory, if that saves reads later. Rejects if it cannot be stored. */
  async keepSnapshot(): Promise<void> {
    const isLong = this.snapshotSeq > 0 || this.commits >= SNAPSHOT_MIN_COMMITS
    if (isLong && this.hasSnapshots && this.seq > this.snapshotSeq) await this.snapshot()
  }

  snapshotWhenDue(): void {
    if (this.commitsSinceSnapshot < this.parts.limits.snapshot_every_commits) return
    if (this.hasSnapshots) void this.snapshot().catch(() => undefined)
  }

  private async snapshot(): Promise<void> {
    const { seq, state, remembered } = this
    this.commitsSinceSnapshot = 0
    await this.parts.snapshots.save(this.definition.kind, this.id, { seq, state, commands: remembered.all })
    this.snapshotSeq = Math.max(this.snapshotSeq, seq)
  }

  private async readLog(): Promise<void> {
    const { staleness, seq } = this
    const tip = await this.parts.log.tip(this.subject)
    if (this.definition.ends === true) {
      if (tip === null) this.beginAnew()
    } else if ((tip?.seq ?? 0) < seq) this.forgetLost(tip?.seq ?? 0)
    if (tip !== null && tip.seq > this.seq) await this.readTo(tip)
    if (staleness === this.staleness) this.loaded = true
    else return this.readLog()
    if (!this.refusedSnapshot) return
    this.refusedSnapshot = false
    void this.keepSnapshot().catch(() => undefined)
  }

  /** Starts over if the log ends before commits that were read from it earlier. */
  private forgetLost(end: number): void {
    const { id, seq, definition } = this
    const error = "the log has lost commits of this actor: its state is made of what is left"
    logNow("error", "actor", { kind: definition.kind, id, seq, log: end, error })
    this.beginAnew()
    this.snapshotSeq = 0
  }

  private async readTo({ seq, entry }: Tip): Promise<void> {
    if (entry !== null) return this.readUpTo(entry)
    const snapshot = this.seq === 0 ? await this.stored() : null
    if (snapshot?.seq === seq) return this.restore(snapshot)
    const last = await this.parts.log.last(this.subject)
    if (last !== null && last.seq > this.seq) await this.readUpTo(last, snapshot)
  }

  private stored(): Promise<Snapshot | null> {
    return this.hasSnapshots ? this.parts.snapshots.load(this.definition.kind, this.id) : Promise.resolve(null)
  }

  private async readUpTo(last: LogEntry, known: Snapshot | null = null): Promise<void> {
    if (this.seq === 0 && last.previous !== 0) await this.resume(last, known ?? (await this.stored()))
    if (last.previous === this.seq) return this.fold(last)
    while (this.seq < last.seq) {
      const { entries, more } = await this.parts.log.read(this.subject, this.seq, PAGE, last.seq)
      for (const entry of entries) this.fold(entry)
      if (!more) return
    }
  }

  /** Starts from the snapshot, if the log continues from it. */
  private async resume(last: LogEntry, snapshot: Snapshot | null): Promise<void> {
    if (snapshot === null) return
    if (snapshot.seq > last.seq) return this.refuse(snapshot, last)
    if (snapshot.seq === last.seq)
      return snapshot.commands.some(({ id }) => id === last.commit.id)
        ? this.restore(snapshot)
        : this.refuse(snapshot, last)
    if (snapshot.seq === last.previous) return this.restore(snapshot)
    const { entries } = await this.parts.log.read(this.subject, snapshot.seq, PAGE, last.seq)
    if (entries[0]?.previous !== snapshot.seq) return this.refuse(snapshot, last)
    this.restore(snapshot)
    for (const entry of entries) this.fold(entry)
  }

  /** Drops a snapshot that does not fit the log. */
  private async refuse(snapshot: Snapshot, last: LogEntry): Promise<void> {
    // Another node may have written more commits and stored the snapshot since the log was read here.
    if ((await this.parts.log.lastSeq(this.subject)) > last.seq) return
    const { kind } = this.definition
    const error = "a snapshot is of another log, and is made anew"
    logNow("warn", "actor", { kind, id: this.id, snapshot: snapshot.seq, log: last.seq, error })
    await this.parts.snapshots.drop(kind, this.id, snapshot.seq).catch(() => undefined)
    this.refusedSnapshot = true
  }

  private restore({ seq, state, commands }: Snapshot): void {
    if (seq <= this.seq) return
    this.seq = seq
    this.snapshotSeq = seq
    this.state = state
    this.remembered.restore(commands, this.parts.limits)
  }
}
