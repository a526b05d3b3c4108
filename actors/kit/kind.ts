/**
 * An actor kind as the service lists it: its fold, which is pure, and a function that makes its operations from the
 * parts of a node.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import type { Clock, Effect, Schema } from "effect"
import type { HubConfig } from "../../schemas/config.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Operation as Declared } from "../../schemas/operation.ts"
import type { ActorDefinition, ActorTypes, Implemented, Operation } from "../engine/definition.ts"
import type { AccountKeys } from "./account-keys.ts"
import type { EventLog, EventShape } from "../log/commit.ts"
import type { Restored } from "../log/last-restore.ts"
import { type EventUnion, inventoryOf } from "../engine/events.ts"
import type { NonceLog } from "../log/nonces.ts"
import { sinceRestore } from "../engine/since-restore.ts"
import { formatOf } from "../engine/state-format.ts"
import type { ActorServices } from "../engine/services.ts"

/**
 * The parts of a node that every kind may use. A noun that needs more parts extends this interface, and the node
 * provides all of them.
 */
export interface KindParts {
  /** For code that does not run as an Effect. */
  readonly clock: Clock.Clock
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly config: Pick<HubConfig, "env" | "limits" | "baseUrl" | "hosts" | "captchaBypass" | "name" | "mail"> & {
    readonly console: Pick<HubConfig["console"], "url">
  }
  /** The service's seed (HUB_SERVER_KEY). */
  readonly seed: Uint8Array
  readonly accounts: AccountKeys
  readonly log: EventLog
  /** The used nonces of signed requests. */
  readonly nonces: NonceLog
  /** The used nonces of proofs of identity to websites. */
  readonly proofs: NonceLog
  readonly restored: Restored
  /** The state of an actor of the same shard. */
  readonly stateOf: <State>(
    fold: { readonly kind: string; readonly initial: State },
    id: string
  ) => Effect.Effect<State, Refusal>
}

export interface ActorOf<State, Event extends EventShape, Memory = undefined> {
  readonly state: State
  readonly event: Event
  readonly memory: Memory
}

/** The part of a kind that determines which state a log gives. */
export interface Fold<A extends ActorTypes> extends Pick<ActorDefinition<A>, "kind" | "initial" | "evolve" | "ends"> {
  /** The state is plain JSON. A release reads only snapshots of its own format (`Kind.format`). */
  readonly state: Schema.Codec<A["state"]>
  /** `null` for a kind without a log. */
  readonly events: EventUnion | null
}

export type KindFold = Pick<ActorDefinition, "kind" | "initial" | "evolve" | "events" | "ends">

export type Operating<Ops extends Readonly<Record<string, Declared>>, A extends ActorTypes> = Implemented<
  Ops,
  A,
  ActorServices
>

export type Doing<A extends ActorTypes, Op extends Declared> = Operation<
  A,
  Op["input"]["Type"],
  Op["output"]["Type"],
  ActorServices
>

export interface Kind<Parts extends KindParts = KindParts> {
  readonly fold: KindFold
  readonly state: Schema.Codec<unknown>
  /**
   * A number for the form of the state and the code of the fold (engine/state-format.ts). Snapshots are stored with it.
   */
  readonly format: number
  readonly events: EventUnion | null
  readonly make: (parts: Parts) => AnyDefinition
}

export type AnyDefinition = ActorDefinition<ActorTypes, ActorServices>

type Behaviour<A extends ActorTypes, Ops extends Readonly<Record<string, Declared>>> = Omit<
  ActorDefinition<A, ActorServices>,
  "kind" | "initial" | "evolve" | "events" | "ends" | "operations"
> & {
  readonly operations: Operating<Ops, A>
  /** The state as operations see it after a restore of the log at `restoredAt` in Unix ms (engine/since-restore.ts). */
  seenSince?(state: A["state"], restoredAt: number): A["state"]
}

/**
 * Makes a kind from its fold and its operations. `_declared` has all operations of the kind, as schemas/ declares them,
 * and gives their types.
 */
export const kind = <
  A extends ActorTypes,
  Ops extends Readonly<Record<string, Declared>>,
  Parts extends KindParts = KindParts
>(
  { events, state, ...rest }: Fold<A>,
  _declared: Ops,
  operate: (parts: Parts) => Behaviour<A, Ops>
): Kind<Parts> => {
  const fold = { ...rest, events: events === null ? {} : inventoryOf(events) }
  let format: number | undefined
  return {
    fold,
    state,
    get format() {
      return (format ??= formatOf(rest.kind, state))
    },
    events,
    make: (parts) => {
      const { seenSince, operations, ...rest } = operate(parts)
      return {
        ...fold,
        ...rest,
        operations: seenSince === undefined ? operations : sinceRestore(parts.restored.at, seenSince, operations)
      }
    }
  }
}
