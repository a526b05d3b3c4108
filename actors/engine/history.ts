/**
 * What is known of one actor: its state as the fold of its log, the sequence it stands at, the commands it remembers.
 *
 * Invariants
 *  - Memory of commands is rebuilt from the log, so it survives restarts and moves (remembered.ts).
 *  - Another actor's commit may have begun this one's log, and the node that was to say so may have died: an actor to
 *    which nothing has happened yet is looked up in the log at each use. (Companions only ever begin a log.)
 *  - An actor of a kind that ends has no snapshot. Once the log has forgotten it, it begins anew: at sequence 0, without
 *    a memory of commands.
 *  - An event of a newer release ends the reading (fold.ts): the actor is not served here, whoever asked tries
 *    elsewhere.
 */
import type { Limits } from "../../schemas/limits.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { subjects } from "../../schemas/subjects.ts"
import type { ActorDefinition, ActorTypes } from "./definition.ts"
import { foldCommit, UnknownEvent } from "./fold.ts"
import type { RememberedCommand, SnapshotStore } from "./ports.ts"
import { Remembered } from "./remembered.ts"
import type { EventLog, LogEntry } from "../log/commit.ts"

/**
 * Most actors have a short log: it is read before anybody looks for a snapshot. Of a long one each commit that is read
 * costs the server some 50 us, all of those of a dead node at once: so what is read in vain is little.
 */
const FIRST_READ = 8
const FULL_READ = 1000

export interface HistoryParts {
  readonly log: EventLog
  readonly snapshots: SnapshotStore
  readonly limits: Limits["service"]
  /** Hears of each actor whose log holds an event that this release does not know. */
  readonly eventUnknown?: () => void
}

export class History<R = never, Parts extends HistoryParts = HistoryParts> {
  state: unknown
  seq = 0
  readonly id: string
  readonly definition: ActorDefinition<ActorTypes, R>
  protected readonly parts: Parts
  /** Whether the state is that of the whole log, as far as anybody has said. */
  loaded = false
  /** Its node has let it go: another may stand in its place by now. */
  forgotten = false
  private readonly remembered: Remembered
  protected loading: Promise<void> | null = null
  /** Grows whenever the log is known to have moved on without us, so that a read under way does not count as fresh. */
  private staleness = 0
  private commitsSinceSnapshot = 0
  /** Why this actor cannot be served here. */
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

  /** Whether reads may be answered from the state as it is. */
  get ready(): boolean {
    return this.loaded && (this.seq > 0 || this.definition.logless === true)
  }

  /**
   * Folds the log (from the newest snapshot on, where the log is long). Rejects when it cannot be read, with
   * `UnknownEvent` where a newer release has written to it.
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

  /** Told once: what is asked of this actor meanwhile finds it so. */
  private unreadable(error: unknown): never {
    if (error instanceof UnknownEvent) {
      this.unknown = error
      this.parts.eventUnknown?.()
      const { kind } = this.definition
      logNow("warn", "actor", { kind, id: this.id, seq: this.seq, unknown: error.event, error: error.message })
    }
    throw error
  }

  /** Somebody else wrote to this subject: the next use reads the log first. */
  stale(): void {
    if (this.definition.logless === true) return
    this.loaded = false
    this.unknown = null
    this.staleness++
  }

  /** Whether the log has nothing newer. Rejects when it does not answer. */
  async isNewest(): Promise<boolean> {
    if ((await this.parts.log.lastSeq(this.subject)) <= this.seq) return true
    this.stale()
    return false
  }

  /** `at`: Unix ms, now. */
  commandOf(id: string, at: number): RememberedCommand | "passed" | undefined {
    return this.remembered.find(id, at)
  }

  /** A read of the log and an append may bring the same entry. */
  fold(entry: LogEntry): void {
    if (entry.seq <= this.seq) return
    const { commit } = entry
    this.state = foldCommit(this.definition, this.state, commit, this.id)
    this.seq = entry.seq
    this.commitsSinceSnapshot++
    const reply = commit.reply === undefined ? {} : { reply: commit.reply }
    this.remembered.add({ id: commit.id, at: commit.at, ...reply }, this.parts.limits)
  }

  private get ends(): boolean {
    return this.definition.ends === true
  }

  private beginAnew(): void {
    this.state = this.definition.initial
    this.seq = 0
    this.remembered.restore([], this.parts.limits)
  }

  /** A short log is read as fast as a snapshot, so only a long one is worth a row. */
  async snapshotIfLong(): Promise<void> {
    if (this.loaded && !this.ends && this.commitsSinceSnapshot > FIRST_READ) await this.snapshot()
  }

  snapshotWhenDue(): void {
    if (this.ends || this.commitsSinceSnapshot < this.parts.limits.snapshot_every_commits) return
    void this.snapshot().catch(() => undefined)
  }

  private async snapshot(): Promise<void> {
    this.commitsSinceSnapshot = 0
    await this.parts.snapshots.save(this.definition.kind, this.id, {
      seq: this.seq,
      state: this.state,
      commands: this.remembered.all
    })
  }

  private async readLog(): Promise<void> {
    const { staleness, subject } = this
    let page = await this.parts.log.read(subject, this.seq, FIRST_READ)
    if (page.more && this.seq === 0 && !this.ends) {
      const snapshot = await this.parts.snapshots.load(this.definition.kind, this.id)
      if (snapshot !== null) {
        this.seq = snapshot.seq
        this.state = snapshot.state
        this.remembered.restore(snapshot.commands, this.parts.limits)
        page = await this.parts.log.read(subject, this.seq, FULL_READ)
      }
    }
    for (;;) {
      for (const entry of page.entries) this.fold(entry)
      if (!page.more) break
      page = await this.parts.log.read(subject, this.seq, FULL_READ)
    }
    if (this.ends && this.seq > 0 && (await this.parts.log.lastSeq(subject)) === 0) this.beginAnew()
    if (staleness === this.staleness) this.loaded = true
    else await this.readLog()
  }
}
