/**
 * The actors of one node. They are activated on first use, passivated when idle, and dropped with their shard. If there
 * are more than `resident_actors_max`, each sweep removes idle ones from memory, those that have been idle longest
 * first. Actors with work under way stay.
 *
 * Writes and custom operations of a shard's actors run in one set of fibers. The set is empty when none is under way,
 * and it is interrupted as a whole when the shard is lost.
 */
import { type Context, Effect, Fiber, FiberSet, type Scope } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { SHARD_COUNT, shardOf } from "../../schemas/subjects.ts"
import { Activation, type EngineParts, type Run } from "./activation.ts"
import type { ActorDefinition, ActorTypes } from "./definition.ts"

/** The time that commands under way may take before the node gives their shard back. */
const DRAIN_MAX_MS = 3000
/**
 * The time for storing a shard's snapshots before the node gives it back. An actor without a snapshot is read from its
 * log.
 */
const SNAPSHOTS_MAX_MS = 3000
/**
 * The passivations of one sweep are limited to this number, or to the number of actors above `resident_actors_max` if
 * that is larger.
 */
const SWEEP_MAX = 500
/** At most one actor that cannot be read is logged in this time, because an outage affects thousands. */
const UNREADABLE_EVERY_MS = 10_000

const notRead = unavailable("The log cannot be read at the moment. It is safe to try again.")

interface Kind<R> {
  readonly definition: ActorDefinition<ActorTypes, R>
  readonly activations: Map<string, Activation<R>>
}

interface Shard<R> {
  readonly members: Set<Activation<R>>
  readonly fibers: FiberSet.FiberSet
  readonly run: Run<R>
}

/**
 * Counts of what this release does not know: requests for unknown operations or kinds, and actors with unknown events.
 */
interface Unknown {
  operations: number
  events: number
}

export class ActorHost<R = never> {
  private readonly kinds: ReadonlyMap<string, Kind<R>>
  private readonly parts: EngineParts
  private readonly shards: ReadonlyArray<Shard<R>>
  /**
   * Counted since the start. `evicted`: passivated early, because there were too many actors. `unreadable`: loads that
   * failed.
   */
  readonly counts = { activated: 0, passivated: 0, evicted: 0, mailboxFull: 0, unreadable: 0 }
  /** No further unreadable actor is logged before this time. */
  private silentUntil = 0
  readonly unknown: Unknown = { operations: 0, events: 0 }

  private constructor(
    definitions: ReadonlyArray<ActorDefinition<ActorTypes, R>>,
    parts: EngineParts,
    shards: ReadonlyArray<Shard<R>>
  ) {
    const kinds = new Map<string, Kind<R>>()
    for (const definition of definitions) {
      if (kinds.has(definition.kind)) throw new Error(`Two actor kinds are named ${definition.kind}`)
      kinds.set(definition.kind, { definition, activations: new Map() })
    }
    this.kinds = kinds
    this.shards = shards
    this.parts = {
      ...parts,
      mailboxFull: () => void this.counts.mailboxFull++,
      eventUnknown: () => void this.unknown.events++,
      unreadable: (kind, id, error) => this.unreadable(kind, id, error)
    }
  }

  /** Logs which actor it was, and why, for example a damaged segment of the archive. Clients only get a 503. */
  private unreadable(kind: string, id: string, error: unknown): void {
    this.counts.unreadable++
    if (this.parts.now() < this.silentUntil) return
    this.silentUntil = this.parts.now() + UNREADABLE_EVERY_MS
    const { unreadable } = this.counts
    logNow("error", "actor", { kind, id, unreadable, error: error instanceof Error ? error.message : String(error) })
  }

  /** Work that is under way ends when the scope closes. */
  static make<R = never>(
    definitions: ReadonlyArray<ActorDefinition<ActorTypes, R>>,
    parts: EngineParts
  ): Effect.Effect<ActorHost<R>, never, Scope.Scope | R> {
    return Effect.gen(function* () {
      const services = yield* Effect.context<R>()
      const shards = yield* Effect.forEach(Array.from({ length: SHARD_COUNT }), () => shardWith(services))
      return new ActorHost(definitions, parts, shards)
    })
  }

  definition(kind: string): ActorDefinition<ActorTypes, R> | undefined {
    return this.kinds.get(kind)?.definition
  }

  /** The operation for a fired timer; `undefined` if this release does not know the timer. */
  timerOperation(kind: string, name: string): string | undefined {
    const { onTimer = {} } = this.definition(kind) ?? {}
    return Object.hasOwn(onTimer, name) ? onTimer[name] : undefined
  }

  activation(kind: string, id: string): Activation<R> | undefined {
    const known = this.kinds.get(kind)
    if (known === undefined) return undefined
    const activation = known.activations.get(id) ?? this.activate(known, id)
    activation.lastUsed = this.parts.now()
    return activation
  }

  private activate({ definition, activations }: Kind<R>, id: string): Activation<R> {
    const shard = this.shardOf(id)
    const fresh = new Activation(definition, id, this.parts, shard.run)
    activations.set(id, fresh)
    shard.members.add(fresh)
    this.counts.activated++
    return fresh
  }

  /** Called when another actor's commit has written to this actor's subject. */
  stale(kind: string, id: string): void {
    this.kinds.get(kind)?.activations.get(id)?.stale()
  }

  /** Called when another node may have written to any actor without saying so. */
  allStale(): void {
    for (const activation of this.all()) activation.stale()
  }

  /**
   * The state of an actor of this node's own shard. It is read from the log if the actor is not resident. Fails with
   * `unavailable` if it cannot be read.
   */
  stateOf<State>(fold: { readonly kind: string; readonly initial: State }, id: string): Effect.Effect<State, Refusal> {
    const activation = this.activation(fold.kind, id)
    if (activation === undefined) return Effect.die(new Error(`There is no actor kind ${fold.kind}`))
    return Effect.map(
      Effect.tryPromise({ try: () => activation.load(), catch: () => notRead }),
      () => activation.state as State
    )
  }

  get resident(): number {
    let sum = 0
    for (const { activations } of this.kinds.values()) sum += activations.size
    return sum
  }

  private shardOf(id: string): Shard<R> {
    return this.shard(shardOf(id))
  }

  private shard(number: number): Shard<R> {
    const shard = this.shards[number]
    if (shard === undefined) throw new RangeError(`There is no shard ${number}`)
    return shard
  }

  private *all(): Generator<Activation<R>> {
    for (const { activations } of this.kinds.values()) yield* activations.values()
  }

  private forget(activation: Activation<R>): void {
    const { definition, id } = activation
    activation.forgotten = true
    this.kinds.get(definition.kind)?.activations.delete(id)
    this.shardOf(id).members.delete(activation)
  }

  /**
   * Counts the commands in all mailboxes, including those being carried out and those whose answer waits: the sum, and
   * the longest mailbox. Visits every actor.
   */
  depths(): { readonly sum: number; readonly max: number } {
    let sum = 0
    let max = 0
    for (const { depth } of this.all()) {
      sum += depth
      if (depth > max) max = depth
    }
    return { sum, max }
  }

  /** Drops every actor of a shard immediately, and interrupts commands that have not reached their append. */
  drop(number: number): void {
    const shard = this.shard(number)
    for (const activation of shard.members) this.forget(activation)
    Effect.runFork(FiberSet.clear(shard.fibers))
  }

  /**
   * Waits until no command of the shard is under way, then stores snapshots of changed actors. Both have time limits.
   */
  drain(number: number): Effect.Effect<void> {
    const { members, fibers } = this.shard(number)
    return Effect.andThen(
      Effect.timeoutOption(FiberSet.awaitEmpty(fibers), DRAIN_MAX_MS),
      Effect.promise(async () => {
        await Promise.allSettled([...members].map((activation) => activation.keepSnapshot()))
      }).pipe(Effect.timeoutOption(SNAPSHOTS_MAX_MS))
    )
  }

  /** Has to be called periodically. */
  sweep(): void {
    const { passivate_after_idle_ms, resident_actors_max } = this.parts.limits
    const now = this.parts.now()
    const over = this.resident - resident_actors_max
    const candidates = [...this.all()]
      .filter((activation) => activation.idle && (over > 0 || now - activation.lastUsed > passivate_after_idle_ms))
      .toSorted((a, b) => a.lastUsed - b.lastUsed)
      .slice(0, Math.max(SWEEP_MAX, over))
    let spare = over
    for (const activation of candidates) {
      if (spare <= 0 && now - activation.lastUsed <= passivate_after_idle_ms) break
      this.forget(activation)
      if (now - activation.lastUsed > passivate_after_idle_ms) this.counts.passivated++
      else this.counts.evicted++
      void activation.keepSnapshot().catch(() => undefined)
      spare--
    }
  }
}

const shardWith = <R>(services: Context.Context<R>): Effect.Effect<Shard<R>, never, Scope.Scope> =>
  Effect.map(FiberSet.make(), (fibers) => ({
    members: new Set(),
    fibers,
    run: <A, E>(effect: Effect.Effect<A, E, R>): Fiber.Fiber<A, E> => {
      const fiber = Effect.runForkWith(services)(effect)
      if (fiber.pollUnsafe() === undefined) FiberSet.addUnsafe(fibers, fiber)
      return fiber
    }
  }))
