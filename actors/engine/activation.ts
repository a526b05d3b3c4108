/**
 * One actor in memory: its state as the fold of its log, its mailbox, the commands it remembers.
 *
 * Invariants
 *  - One write at a time. Reads are answered from the last committed state and never wait for a write.
 *  - Append, then evolve, then reply: nothing is answered that is not durable, nothing evolves that was not appended.
 *  - The log is the fence. An append carries the sequence this activation stands at. When it is refused, somebody
 *    else has written: the activation reloads from the log and tries the command again, at most CONFLICT_TRIES times.
 *  - What `prepare` gathers is used only where the actor still stands at the sequence it stood at before: numbers drawn
 *    there grow along the log of each actor, whoever else believed to own it meanwhile.
 *  - After an append of unknown outcome the log is read before anything else is decided.
 *  - A command id that is remembered is answered with its first reply; nothing is appended. Memory of commands is
 *    rebuilt from the log, so it survives restarts and moves (bounds: LIMITS.service.command_memory_*).
 *  - Another actor's commit may have begun this one's log, and the node that was to say so may have died: an actor to
 *    which nothing has happened yet is looked up in the log at each use. (Companions only ever begin a log.)
 *  - The mailbox is bounded; one more is refused as `overloaded`, before anything was done.
 *  - An event of a newer release ends the reading (fold.ts): the actor is not served here, whoever asked tries
 *    elsewhere.
 *  - Timers are durable before their commit is, each under its own time: one of a commit that failed fires for nothing
 *    and takes the place of none that a committed one has set.
 *  - A timer that finds nothing to do is the last that is heard of it, and no append fences that: it counts only where
 *    the log says that this activation is not behind.
 *  - What is refused for its bytes, or for want of room on the disk, is refused before anything is set or appended.
 */
import { notFound, type Refusal, unavailable } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { subjects } from "../../schemas/subjects.ts"
import type { Span } from "../../schemas/trace/span.ts"
import {
  type ActorDefinition,
  type Companion,
  type Decision,
  type DecideContext,
  type EventShape,
  TIMER_COMMAND,
  type WriteOperation
} from "./definition.ts"
import type {
  Append,
  Commit,
  EventLog,
  LogEntry,
  ReadModels,
  RememberedCommand,
  SnapshotStore,
  Timers
} from "./ports.ts"
import { foldCommit, knowsEvent, UnknownEvent } from "./fold.ts"
import { storageLow } from "./storage.ts"
import { appendSpan, endAppend } from "./trace.ts"

export interface Command {
  readonly id: string
  readonly op: string
  readonly input: unknown
  readonly by: string | undefined
  readonly deadline: number
  readonly trace: string | undefined
  /** It was carried out: nothing is decided any more. */
  readonly again?: true | undefined
  /** The command's step, where it is traced. */
  readonly span?: Span | null
}

/** `elsewhere`: a node of another release may be able to. */
export type Outcome = { readonly data: unknown } | { readonly refused: Refusal } | { readonly elsewhere: true }

export interface EngineParts {
  readonly log: EventLog
  readonly snapshots: SnapshotStore
  readonly timers: Timers
  readonly readModels: ReadModels
  readonly limits: Limits["service"]
  readonly now: () => number
  /** The owner of a companion is told that its subject was written to; resolves when its reads are fresh. */
  readonly touched: (kind: string, id: string) => Promise<void>
  /** Hears of each command that found its actor's mailbox full. */
  readonly mailboxFull?: () => void
  /** Hears of each actor whose log holds an event that this release does not know. */
  readonly eventUnknown?: () => void
  /** What stands against any append at the moment: the disk is nearly full. */
  readonly noRoom?: () => Refusal | null
}

/** Tries of one command against appends that lost the race. */
const CONFLICT_TRIES = 8
/** Most actors have a short log: it is read before anybody looks for a snapshot. */
const FIRST_READ = 64
const FULL_READ = 1000

type AnyWrite = WriteOperation<unknown, unknown, EventShape, unknown>

interface Queued {
  readonly command: Command
  readonly operation: AnyWrite
  readonly waiters: Array<(outcome: Outcome) => void>
}

export class Activation {
  state: unknown
  seq = 0
  /** Unix ms of the last ask, for passivation. */
  lastUsed = 0
  readonly id: string
  readonly definition: ActorDefinition
  readonly memory: unknown
  private readonly parts: EngineParts
  private remembered: Array<RememberedCommand> = []
  private loading: Promise<void> | null = null
  private loaded = false
  /** Grows whenever the log is known to have moved on without us, so that a read under way does not count as fresh. */
  private staleness = 0
  private queue: Array<Queued> | null = null
  private commitsSinceSnapshot = 0
  /** Why this actor cannot be served here. */
  private unknown: UnknownEvent | null = null

  constructor(definition: ActorDefinition, id: string, parts: EngineParts) {
    this.definition = definition
    this.id = id
    this.parts = parts
    this.state = definition.initial
    this.memory = definition.memory?.()
    this.loaded = definition.logless === true
  }

  /** Commands that wait, the one under way with them. */
  get depth(): number {
    return this.queue?.length ?? 0
  }

  get idle(): boolean {
    return this.queue === null && this.loading === null
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
      console.error(
        JSON.stringify({
          level: "warn",
          at: "actor",
          kind: this.definition.kind,
          id: this.id,
          seq: this.seq,
          unknown: error.event,
          error: error.message
        })
      )
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

  submit(command: Command, operation: AnyWrite): Promise<Outcome> {
    this.queue ??= []
    const underWay = this.queue.find((queued) => queued.command.id === command.id)
    if (underWay !== undefined) return new Promise((resolve) => underWay.waiters.push(resolve))
    if (this.queue.length >= this.parts.limits.mailbox_max) {
      this.parts.mailboxFull?.()
      return Promise.resolve({
        refused: { code: "overloaded", message: "Too many commands wait for this actor.", retryAfter: 1 }
      })
    }
    return new Promise((resolve) => {
      this.queue?.push({ command, operation, waiters: [resolve] })
      if (this.queue?.length === 1) void this.work()
    })
  }

  /** A short log is read as fast as a snapshot, so only a long one is worth a row. */
  async snapshotIfLong(): Promise<void> {
    if (this.loaded && this.commitsSinceSnapshot >= FIRST_READ) await this.snapshot()
  }

  private async snapshot(): Promise<void> {
    this.commitsSinceSnapshot = 0
    await this.parts.snapshots.save(this.definition.kind, this.id, {
      seq: this.seq,
      state: this.state,
      commands: [...this.remembered]
    })
  }

  private async work(): Promise<void> {
    while (this.queue !== null) {
      const next = this.queue[0]
      if (next === undefined) {
        this.queue = null
        return
      }
      let outcome: Outcome
      try {
        outcome = await this.execute(next.command, next.operation)
      } catch (error) {
        if (!(error instanceof UnknownEvent))
          console.error(
            JSON.stringify({
              level: "error",
              at: "actor",
              kind: this.definition.kind,
              id: this.id,
              op: next.command.op,
              error: String(error),
              stack: error instanceof Error ? error.stack : undefined
            })
          )
        this.stale()
        outcome =
          error instanceof UnknownEvent
            ? { elsewhere: true }
            : { refused: { code: "internal_error", message: "The command failed inside the service." } }
      }
      this.queue.shift()
      for (const resolve of next.waiters) resolve(outcome)
    }
  }

  private async execute(command: Command, operation: AnyWrite): Promise<Outcome> {
    for (let attempt = 0; attempt < CONFLICT_TRIES; attempt++) {
      if (this.parts.now() >= command.deadline) break
      try {
        // An append finds out by itself whether the log has begun meanwhile.
        if (!this.loaded) await this.load()
      } catch (error) {
        return unreadLog(error)
      }
      const outcome = await this.attempt(command, operation)
      if (outcome !== "again") return outcome
    }
    return { refused: unavailable("The command could not be committed in time. It is safe to try again.") }
  }

  private async attempt(command: Command, operation: AnyWrite): Promise<Outcome | "again"> {
    const before = this.remembered.find((known) => known.id === command.id)
    if (before !== undefined) {
      if (isRefused(before.reply)) return before.reply
      return { data: operation.answer(this.state, before.reply, { id: this.id, at: before.at }) }
    }
    const at = this.parts.now()
    if (command.again === true) return { data: operation.answer(this.state, undefined, { id: this.id, at }) }
    const base = { id: this.id, at, seq: this.seq }
    let facts: unknown = null
    if (operation.prepare !== undefined) {
      facts = await operation.prepare(this.state, command.input, {
        ...base,
        commandId: command.id,
        deadline: command.deadline,
        memory: this.memory,
        traceparent: command.span?.traceparent
      })
      if (isRefused(facts)) return facts
      // Facts are of the state they were gathered on: a number drawn before somebody else's commit must not follow it.
      if (this.seq !== base.seq) return "again"
    }
    const context: DecideContext<unknown> = { ...base, facts }
    return this.carryOut(command, operation, context, operation.decide(this.state, command.input, context), true)
  }

  private async carryOut(
    command: Command,
    operation: AnyWrite,
    context: DecideContext<unknown>,
    decision: Decision,
    mayContest: boolean
  ): Promise<Outcome | "again"> {
    const events = decision.events ?? []
    if (events.length === 0) {
      if (command.id.startsWith(TIMER_COMMAND) && !(await this.isNewest())) return "again"
      if ("refused" in decision) return { refused: decision.refused }
      return { data: operation.answer(this.state, decision.reply, { id: this.id, at: context.at }) }
    }
    // What could not be folded must not be written.
    const strange = events.find((event) => !knowsEvent(this.definition.events, event))
    if (strange !== undefined)
      throw new TypeError(`${command.op} made an event outside the inventory: ${strange.type}@${strange.v}`)
    const commit = this.commitOf(
      command,
      context.at,
      events,
      "refused" in decision ? { refused: decision.refused } : decision.reply
    )
    const companions = "refused" in decision ? [] : (decision.also ?? [])
    const span = appendSpan(command.span, this.definition.kind)
    const traceparent = span?.traceparent
    const own: Append = {
      subject: subjects.event(this.definition.kind, this.id),
      expected: this.seq,
      commit,
      traceparent,
      keepSeconds: this.definition.keepSeconds
    }
    const group = [
      own,
      ...companions.map((companion) => this.companionAppend(command, context.at, companion, traceparent))
    ]
    const metered = command.by === undefined ? undefined : this.definition.meter
    const bytes = metered === undefined ? 0 : bytesOf(group)
    const refused =
      this.parts.noRoom?.() ?? (await metered?.admit(bytes, this)) ?? (await this.timersProblem(command, decision))
    if (refused !== null) return { refused }
    const result = await this.parts.log.append(group)
    if (span !== null) endAppend(span, result)
    if (!result.ok) return this.appendFailed(result.reason, command, operation, context, companions, mayContest)
    metered?.spent(bytes, this)
    this.fold({ seq: result.seqs[0] ?? 0, commit })
    await Promise.all(companions.map((companion) => this.parts.touched(companion.kind, companion.id)))
    if (operation.projected === true) await this.parts.readModels.reached(Math.max(...result.seqs))
    this.snapshotWhenDue()
    operation.after?.(command.input, context, "refused" in decision ? decision.refused : null)
    if ("refused" in decision) return { refused: decision.refused }
    return { data: operation.answer(this.state, decision.reply, { id: this.id, at: context.at }) }
  }

  /** Rejects when the log does not answer. */
  private async isNewest(): Promise<boolean> {
    if ((await this.parts.log.lastSeq(subjects.event(this.definition.kind, this.id))) <= this.seq) return true
    this.stale()
    return false
  }

  private async timersProblem(command: Command, decision: Decision): Promise<Refusal | null> {
    for (const timer of "refused" in decision ? [] : (decision.timers ?? [])) {
      try {
        await this.parts.timers.set(
          timer.of?.kind ?? this.definition.kind,
          timer.of?.id ?? this.id,
          timer.name,
          timer.at,
          command.span?.traceparent
        )
      } catch {
        return unavailable("A timer could not be set at the moment. It is safe to try again.")
      }
    }
    return null
  }

  private async appendFailed(
    reason: "conflict" | "overloaded" | "full" | "unknown",
    command: Command,
    operation: AnyWrite,
    context: DecideContext<unknown>,
    companions: ReadonlyArray<Companion>,
    mayContest: boolean
  ): Promise<Outcome | "again"> {
    if (reason === "overloaded")
      return { refused: { code: "overloaded", message: "Too many commits wait.", retryAfter: 1 } }
    if (reason === "full") return { refused: storageLow() }
    this.stale()
    if (reason === "unknown" || companions.length === 0 || operation.contested === undefined || !mayContest)
      return "again"
    const seq = this.seq
    try {
      await this.load()
    } catch (error) {
      return unreadLog(error)
    }
    // This actor itself moved on: the decision was made on an old state.
    if (this.seq !== seq) return "again"
    for (const companion of companions) {
      const stands = await this.parts.log.lastSeq(subjects.event(companion.kind, companion.id))
      if (stands !== companion.expected) {
        return this.carryOut(
          command,
          operation,
          context,
          operation.contested(this.state, command.input, companion, context),
          false
        )
      }
    }
    return "again"
  }

  private commitOf(command: Command, at: number, events: ReadonlyArray<EventShape>, reply: unknown): Commit {
    return {
      v: 1,
      id: command.id,
      op: command.op,
      at,
      ...(command.by === undefined ? {} : { by: command.by }),
      events,
      ...(reply === undefined ? {} : { reply }),
      ...(command.trace === undefined ? {} : { trace: command.trace })
    }
  }

  private companionAppend(command: Command, at: number, companion: Companion, traceparent: string | undefined): Append {
    return {
      subject: subjects.event(companion.kind, companion.id),
      expected: companion.expected,
      commit: this.commitOf(command, at, companion.events, undefined),
      traceparent
    }
  }

  private async readLog(): Promise<void> {
    const { staleness } = this
    const subject = subjects.event(this.definition.kind, this.id)
    let page = await this.parts.log.read(subject, this.seq, FIRST_READ)
    if (page.more && this.seq === 0) {
      const snapshot = await this.parts.snapshots.load(this.definition.kind, this.id)
      if (snapshot !== null) {
        this.seq = snapshot.seq
        this.state = snapshot.state
        this.remembered = [...snapshot.commands]
        page = await this.parts.log.read(subject, this.seq, FULL_READ)
      }
    }
    for (;;) {
      for (const entry of page.entries) this.fold(entry)
      if (!page.more) break
      page = await this.parts.log.read(subject, this.seq, FULL_READ)
    }
    if (staleness === this.staleness) this.loaded = true
    else await this.readLog()
  }

  /** A read of the log and an append may bring the same entry. */
  private fold(entry: LogEntry): void {
    if (entry.seq <= this.seq) return
    const { commit } = entry
    this.state = foldCommit(this.definition, this.state, commit, this.id)
    this.seq = entry.seq
    this.commitsSinceSnapshot++
    this.remember({ id: commit.id, at: commit.at, ...(commit.reply === undefined ? {} : { reply: commit.reply }) })
  }

  private remember(command: RememberedCommand): void {
    const { command_memory_max, command_memory_seconds } = this.parts.limits
    const oldest = command.at - command_memory_seconds * 1000
    while (
      this.remembered.length >= command_memory_max ||
      (this.remembered[0] !== undefined && this.remembered[0].at < oldest)
    ) {
      this.remembered.shift()
    }
    this.remembered.push(command)
  }

  private snapshotWhenDue(): void {
    if (this.commitsSinceSnapshot < this.parts.limits.snapshot_every_commits) return
    void this.snapshot().catch(() => undefined)
  }
}

const isRefused = (facts: unknown): facts is { readonly refused: Refusal } =>
  typeof facts === "object" && facts !== null && "refused" in facts

const unreadLog = (error: unknown): Outcome =>
  error instanceof UnknownEvent
    ? { elsewhere: true }
    : { refused: unavailable("The log cannot be read at the moment.") }

/** What a group of commits takes in the log, without what the server adds. */
const bytesOf = (group: ReadonlyArray<Append>): number =>
  group.reduce((sum, { commit }) => sum + Buffer.byteLength(JSON.stringify(commit)), 0)

export const unknownOperation = (op: string): Refusal => notFound(`operation ${op}`)
