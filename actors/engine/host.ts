/**
 * The actors of one node: activated on first use, passivated when idle, dropped with their shard.
 * At most `resident_actors_max` are kept; the longest idle go first, after a snapshot where one is due.
 */
import { SHARD_COUNT, shardOf } from "../../schemas/subjects.ts"
import { Activation, type EngineParts } from "./activation.ts"
import type { ActorDefinition } from "./definition.ts"

const DRAIN_STEP_MS = 5
const DRAIN_MAX_MS = 3000
/** Passivations of one sweep, so that it never holds the event loop. */
const SWEEP_MAX = 500

interface Kind {
  readonly definition: ActorDefinition
  /** By id. */
  readonly activations: Map<string, Activation>
}

/**
 * What this release does not know: asks for operations, or of kinds, that it has not, and actors with events of
 * another.
 */
interface Unknown {
  operations: number
  events: number
}

export class ActorHost {
  private readonly kinds: ReadonlyMap<string, Kind>
  private readonly parts: EngineParts
  private readonly shards: ReadonlyArray<Set<Activation>> = Array.from({ length: SHARD_COUNT }, () => new Set())
  /** Since the start. Evicted: before its time, for want of room. */
  readonly counts = { activated: 0, passivated: 0, evicted: 0, mailboxFull: 0 }
  readonly unknown: Unknown = { operations: 0, events: 0 }

  constructor(definitions: ReadonlyArray<ActorDefinition>, parts: EngineParts) {
    const kinds = new Map<string, Kind>()
    for (const definition of definitions) {
      if (kinds.has(definition.kind)) throw new Error(`Two actor kinds are named ${definition.kind}`)
      kinds.set(definition.kind, { definition, activations: new Map() })
    }
    this.kinds = kinds
    this.parts = {
      ...parts,
      mailboxFull: () => void this.counts.mailboxFull++,
      eventUnknown: () => void this.unknown.events++
    }
  }

  definition(kind: string): ActorDefinition | undefined {
    return this.kinds.get(kind)?.definition
  }

  activation(kind: string, id: string): Activation | undefined {
    const known = this.kinds.get(kind)
    if (known === undefined) return undefined
    const activation = known.activations.get(id) ?? this.activate(known, id)
    activation.lastUsed = this.parts.now()
    return activation
  }

  private activate({ definition, activations }: Kind, id: string): Activation {
    const fresh = new Activation(definition, id, this.parts)
    activations.set(id, fresh)
    this.shards[shardOf(id)]?.add(fresh)
    this.counts.activated++
    return fresh
  }

  /** Another actor's commit wrote to this one's subject. */
  stale(kind: string, id: string): void {
    this.kinds.get(kind)?.activations.get(id)?.stale()
  }

  /** State of an actor of this node's own shard, read from its log where it is not resident. */
  async stateOf<State>(kind: string, id: string): Promise<State> {
    const activation = this.activation(kind, id)
    if (activation === undefined) throw new Error(`There is no actor kind ${kind}`)
    await activation.load()
    return activation.state as State
  }

  get resident(): number {
    let sum = 0
    for (const { activations } of this.kinds.values()) sum += activations.size
    return sum
  }

  private *all(): Generator<Activation> {
    for (const { activations } of this.kinds.values()) yield* activations.values()
  }

  private forget(activation: Activation): void {
    const { definition, id } = activation
    this.kinds.get(definition.kind)?.activations.delete(id)
    this.shards[shardOf(id)]?.delete(activation)
  }

  /**
   * Commands in the mailboxes, the one that is carried out with them: of all, and of the longest. Looks at each actor.
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

  /** Forgets every actor of a shard at once; what is under way there ends at the log's fence. */
  drop(shard: number): void {
    for (const activation of this.shards[shard] ?? []) this.forget(activation)
  }

  /** Waits until no command of the shard is under way and keeps snapshots of what has changed. */
  async drain(shard: number): Promise<void> {
    const until = Date.now() + DRAIN_MAX_MS
    const members = [...(this.shards[shard] ?? [])]
    while (members.some((activation) => !activation.idle) && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_STEP_MS))
    }
    await Promise.allSettled(members.map((activation) => activation.snapshotIfLong()))
  }

  /** To be called from time to time. */
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
      void activation.snapshotIfLong().catch(() => undefined)
      spare--
    }
  }
}
