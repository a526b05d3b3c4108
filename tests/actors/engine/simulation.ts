/**
 * A whole cluster in one process, for tests over interleavings: the engine's own Placement, Activation and ActorHost on
 * a model of the bus whose every delivery the test decides.
 *
 * Each node reaches the world through a Port. What the world answers lies in the port's inbox until the test delivers
 * it; a frozen node's inbox is not delivered, a crashed one's never will be. So a freeze longer than a lease, a slow
 * watch, an append whose answer is lost and two owners at once are all just orders of delivery.
 */
import { Effect, Schema } from "effect"
import { LIMITS } from "../../../schemas/limits.ts"
import { nodeKey } from "../../../schemas/runtime/bus/lease-view.ts"
import { LeaseView } from "../../../schemas/runtime/bus/lease-view.ts"
import { shardOf } from "../../../schemas/subjects.ts"
import type { EngineParts, Outcome } from "../../../actors/engine/activation.ts"
import { write } from "../../../actors/engine/definition.ts"
import { placeOf } from "../../../actors/log/archive/segment.ts"
import type {
  Append,
  AppendResult,
  EventLog,
  EventShape,
  LogEntry,
  LogPage,
  Tip,
  WrittenCommit
} from "../../../actors/log/commit.ts"
import { event } from "../../../actors/engine/events.ts"
import { type ActorOf, type Fold, kind, type KindParts } from "../../../actors/kit/kind.ts"
import type { ActorHost } from "../../../actors/engine/host.ts"
import { Placement } from "../../../actors/engine/placement.ts"
import type { LeaseStore, Ping, Snapshot, SnapshotStore, Unwritten } from "../../../actors/engine/ports.ts"
import { op } from "../../../schemas/operation.ts"
import { openScope } from "../../support/scope.ts"
import { hostWith, writeOf } from "./alone.ts"

interface TokenAdded extends EventShape {
  readonly token: string
}

/** The actor under test: a list of tokens. Applying a command twice would show. */
const fold: Fold<ActorOf<ReadonlyArray<string>, TokenAdded>> = {
  kind: "tokens",
  state: Schema.Array(Schema.String),
  initial: [],
  events: Schema.Union([event("token.added", 1, { token: Schema.String })]),
  evolve: (state, event) => [...state, event.token]
}

const declared = {
  "tokens.add": op({
    input: Schema.Struct({ token: Schema.String }),
    output: Schema.Struct({ size: Schema.Int }),
    askedBy: []
  })
}

const tokensKind = kind(fold, declared, () => ({
  operations: {
    "tokens.add": write({
      decide: (_state, input) => ({ events: [{ type: "token.added", v: 1, token: input.token }] }),
      answer: (state) => ({ size: state.length })
    })
  }
}))

/** The log as the server has it: appends are checked and applied at once, whatever becomes of the answer. */
export class ModelLog {
  readonly subjects = new Map<string, Array<LogEntry>>()
  private seq = 0

  append(group: ReadonlyArray<Append>): AppendResult {
    for (const { subject, expected } of group) {
      if ((this.subjects.get(subject)?.at(-1)?.seq ?? 0) !== expected) return { ok: false, reason: "conflict" }
    }
    const seqs = group.map(({ subject, commit }) => {
      const seq = ++this.seq
      const before = this.subjects.get(subject) ?? []
      this.subjects.set(subject, [...before, { seq, commit, previous: before.at(-1)?.seq ?? 0 }])
      return seq
    })
    return { ok: true, seqs }
  }

  read(subject: string, after: number, max: number): LogPage {
    const rest = (this.subjects.get(subject) ?? []).filter((entry) => entry.seq > after)
    return { entries: rest.slice(0, max), more: rest.length > max }
  }

  last(subject: string): LogEntry | null {
    return this.subjects.get(subject)?.at(-1) ?? null
  }

  commitsOf(command: string): ReadonlyArray<WrittenCommit> {
    return [...this.subjects]
      .flatMap(([subject, entries]) => entries.map(({ seq, commit }) => ({ ...placeOf(subject), seq, commit })))
      .filter(({ commit }) => commit.id === command)
      .map(({ kind, id, seq }) => ({ kind, id, seq }))
      .toSorted((a, b) => a.seq - b.seq)
  }
}

/** Postgres as the nodes have it: a newer snapshot takes the place of an older one. */
class ModelSnapshots implements SnapshotStore {
  readonly kept = new Map<string, Snapshot>()

  load(kind: string, id: string): Promise<Snapshot | null> {
    return Promise.resolve(this.kept.get(`${kind} ${id}`) ?? null)
  }

  save(kind: string, id: string, snapshot: Snapshot): Promise<void> {
    const key = `${kind} ${id}`
    if ((this.kept.get(key)?.seq ?? 0) < snapshot.seq) this.kept.set(key, structuredClone(snapshot))
    return Promise.resolve()
  }

  drop(kind: string, id: string, seq: number): Promise<void> {
    if (this.kept.get(`${kind} ${id}`)?.seq === seq) this.kept.delete(`${kind} ${id}`)
    return Promise.resolve()
  }
}

const tipOf = (entry: LogEntry | null): Tip | null => (entry === null ? null : { seq: entry.seq, entry })

/** A log alone: nothing is snapshotted, timed or projected. */
export const partsOver = (log: ModelLog): EngineParts => ({
  log: {
    append: (group) => Promise.resolve(log.append(group)),
    read: (subject, after, max) => Promise.resolve(log.read(subject, after, max)),
    tip: (subject) => Promise.resolve(tipOf(log.last(subject))),
    last: (subject) => Promise.resolve(log.last(subject)),
    lastSeq: (subject) => Promise.resolve(log.last(subject)?.seq ?? 0),
    commitsOf: (command) => Promise.resolve(log.commitsOf(command))
  },
  snapshots: { load: () => Promise.resolve(null), save: () => Promise.resolve(), drop: () => Promise.resolve() },
  timers: { set: () => Promise.resolve() },
  readModels: { reached: () => Promise.resolve() },
  limits: LIMITS.service,
  now: () => 1,
  touched: () => Promise.resolve()
})

type Written = { readonly revision: number } | { readonly unwritten: Unwritten }

interface Lease {
  value: string | null
  revision: number
  expires: number
}

/** The lease bucket as the server has it, with times to live on the world's clock. */
class ModelLeases {
  readonly keys = new Map<string, Lease>()
  readonly watchers: Array<(key: string, value: string | null, revision: number) => void> = []
  private revision = 0

  write(key: string, value: string | null, expected: number, expires: number): Written {
    if ((this.keys.get(key)?.revision ?? 0) !== expected) return { unwritten: "conflict" }
    const revision = ++this.revision
    this.keys.set(key, { value, revision, expires })
    for (const watcher of this.watchers) watcher(key, value, revision)
    return { revision }
  }

  expire(now: number): void {
    for (const [key, lease] of this.keys) {
      if (lease.value !== null && lease.expires <= now) this.write(key, null, lease.revision, Number.POSITIVE_INFINITY)
    }
  }
}

/** So that actors go on from snapshots with some commits behind them. */
const SNAPSHOT_EVERY = 3

export class World {
  now = 0
  readonly log = new ModelLog()
  readonly snapshots = new ModelSnapshots()
  readonly leases = new ModelLeases()
  readonly nodes: Array<SimNode> = []
  sessions = 0

  node(name: string): SimNode {
    const node = new SimNode(this, name)
    this.nodes.push(node)
    return node
  }

  /** Moves the clock and lets keys expire; nodes hear of it only by what is delivered to them. */
  pass(ms: number): void {
    this.now += ms
    this.leases.expire(this.now)
  }
}

export class SimNode implements LeaseStore {
  readonly view = new LeaseView()
  readonly placement: Placement
  readonly host: ActorHost
  readonly name: string
  frozen = false
  crashed = false
  private readonly world: World
  private readonly inbox: Array<() => void> = []
  private readonly watched: Array<() => void> = []
  private readonly revisions = new Map<string, number>()
  /** Its answers are lost from now on: the next appends' outcomes are unknown to it, though they were applied. */
  losesAppendAnswers = 0

  constructor(world: World, name: string) {
    this.world = world
    this.name = name
    const log: EventLog = {
      append: (group) => this.append(group),
      read: (subject, after, max) => this.deliverLater(() => this.world.log.read(subject, after, max)),
      tip: (subject) => this.deliverLater(() => tipOf(this.world.log.last(subject))),
      last: (subject) => this.deliverLater(() => this.world.log.last(subject)),
      lastSeq: (subject) => this.deliverLater(() => this.world.log.last(subject)?.seq ?? 0),
      commitsOf: (command) => this.deliverLater(() => this.world.log.commitsOf(command))
    }
    this.host = hostWith([tokensKind.make({} as KindParts)], {
      log,
      snapshots: world.snapshots,
      timers: { set: () => Promise.resolve() },
      readModels: { reached: () => Promise.resolve() },
      limits: { ...LIMITS.service, snapshot_every_commits: SNAPSHOT_EVERY },
      now: () => 0,
      touched: () => Promise.resolve()
    })
    const placement = Placement.make({
      store: this,
      view: this.view,
      now: () => this.world.now,
      newSession: () => `${name}-${++this.world.sessions}`,
      describe: () => "{}",
      ttlSeconds: 3,
      events: {
        listen: () => Effect.void,
        prepare: Effect.void,
        drain: () => Effect.void,
        served: () => undefined,
        dropped: (shard) => this.host.drop(shard),
        peerEnded: () => this.host.allStale()
      }
    })
    this.placement = openScope().makeSync(placement)
    for (const [key, lease] of world.leases.keys) this.heard(key, lease.value, lease.revision)
    world.leases.watchers.push((key, value, revision) => this.watched.push(() => this.heard(key, value, revision)))
  }

  get running(): boolean {
    return !this.frozen && !this.crashed
  }

  get session(): string | null {
    return this.placement.session
  }

  /** One beat, and whatever it has to wait for. */
  tick(): void {
    Effect.runFork(this.placement.tick)
  }

  /** Delivers what the world has answered so far. */
  deliver(): void {
    if (!this.running) return
    for (const act of this.inbox.splice(0)) act()
  }

  /** Delivers up to `count` entries of the watch, oldest first: fewer than there are is a slow watch. */
  deliverWatch(count: number): void {
    if (!this.running) return
    for (const act of this.watched.splice(0, count)) act()
  }

  /** An ask as the bus would bring it: refused where the node does not serve the shard. */
  ask(id: string, actor: string, token: string): Promise<Outcome | "not owner"> {
    const shard = shardOf(actor)
    if (!this.placement.serves(shard)) return Promise.resolve("not owner")
    const activation = this.host.activation("tokens", actor)
    if (activation === undefined) throw new Error("no such kind")
    return activation
      .submit(
        { id, op: "tokens.add", input: { token }, by: undefined, deadline: Number.POSITIVE_INFINITY, trace: undefined },
        writeOf(activation.definition, "tokens.add")
      )
      .then((outcome) => (this.placement.serves(shard) ? outcome : "not owner"))
  }

  put(key: string, value: string, expected: number, ttlSeconds?: number): Effect.Effect<number, Unwritten> {
    return this.writeKey(key, value, expected, ttlSeconds)
  }

  remove(key: string, expected: number): Effect.Effect<number, Unwritten> {
    return this.writeKey(key, null, expected)
  }

  revision(key: string): number {
    return this.revisions.get(key) ?? 0
  }

  refresh(key: string): Effect.Effect<void> {
    const read = Effect.promise(() => this.deliverLater(() => this.world.leases.keys.get(key)))
    return Effect.map(read, (lease) => {
      if (lease !== undefined) this.heard(key, lease.value, lease.revision)
    })
  }

  ping(session: string): Effect.Effect<Ping> {
    return Effect.promise(() =>
      this.deliverLater(() => {
        const peer = this.world.nodes.find((node) => node.session === session)
        if (peer === undefined || peer.crashed) return "gone"
        return peer.frozen ? "silent" : "pong"
      })
    )
  }

  private async append(group: ReadonlyArray<Append>): Promise<AppendResult> {
    const result = await this.deliverLater(() => this.world.log.append(group))
    if (this.losesAppendAnswers === 0) return result
    this.losesAppendAnswers--
    return { ok: false, reason: "unknown" }
  }

  private writeKey(
    key: string,
    value: string | null,
    expected: number,
    ttlSeconds?: number
  ): Effect.Effect<number, Unwritten> {
    const writing = Effect.promise(() => {
      const expires = ttlSeconds === undefined ? Number.POSITIVE_INFINITY : this.world.now + ttlSeconds * 1000
      return this.deliverLater(() => this.world.leases.write(key, value, expected, expires))
    })
    return Effect.flatMap(writing, (written): Effect.Effect<number, Unwritten> => {
      if ("unwritten" in written) return Effect.fail(written.unwritten)
      this.heard(key, key.startsWith(nodeKey("")) && value === "" ? null : value, written.revision)
      return Effect.succeed(written.revision)
    })
  }

  private heard(key: string, value: string | null, revision: number): void {
    if (revision <= this.revision(key)) return
    this.revisions.set(key, revision)
    this.view.apply(key, value)
  }

  /** The world acts now; the node hears of it when its inbox is delivered. */
  private deliverLater<T>(act: () => T): Promise<T> {
    const result = act()
    return new Promise((resolve) => this.inbox.push(() => resolve(result)))
  }
}

/** Lets every promise and every fiber that can go on do so. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 12; turn++) await Promise.resolve()
  await new Promise((resolve) => setImmediate(resolve))
}
