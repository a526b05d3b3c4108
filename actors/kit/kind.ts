/** An actor kind as the service lists it: the log's side, pure, and what makes its operations of the node's parts. */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import type { Clock, Schema } from "effect"
import type { HubConfig } from "../../schemas/config.ts"
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

/** Parts of a node that every kind may use. A noun that needs more of its node extends it, and the node provides all of it. */
export interface KindParts {
  /** For code that is no Effect. */
  readonly clock: Clock.Clock
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly config: Pick<HubConfig, "env" | "limits" | "baseUrl" | "hosts" | "captchaBypass" | "name" | "mail"> & {
    readonly console: Pick<HubConfig["console"], "url">
  }
  /** The service's seed. */
  readonly seed: Uint8Array
  /** Under which stands what is a person's own. */
  readonly accounts: AccountKeys
  readonly log: EventLog
  /** Nonces of signed requests, and of proofs of identity to websites. */
  readonly nonces: NonceLog
  readonly proofs: NonceLog
  readonly restored: Restored
  /** State of an actor of the same shard. */
  readonly stateOf: <State>(fold: { readonly kind: string; readonly initial: State }, id: string) => Promise<State>
}

/** The types of a kind, see `ActorTypes`. */
export interface ActorOf<State, Event extends EventShape, Memory = undefined> {
  readonly state: State
  readonly event: Event
  readonly memory: Memory
}

/** The part of a kind that the log depends on. */
export interface Fold<A extends ActorTypes> extends Pick<ActorDefinition<A>, "kind" | "initial" | "evolve" | "ends"> {
  /** Plain JSON: a snapshot of it is read only by a release that declares it alike. */
  readonly state: Schema.Codec<A["state"]>
  /** `null`: of a kind without a log. */
  readonly events: EventUnion | null
}

/** The fold of a kind: enough for replay, the list of events and tests. */
export type KindFold = Pick<ActorDefinition, "kind" | "initial" | "evolve" | "events" | "ends">

/** The operations that `Ops` declare, for an actor of such types. */
export type Operating<Ops extends Readonly<Record<string, Declared>>, A extends ActorTypes> = Implemented<
  Ops,
  A,
  ActorServices
>

/** The implementation of one operation of a kind. */
export type Doing<A extends ActorTypes, Op extends Declared> = Operation<
  A,
  Op["input"]["Type"],
  Op["output"]["Type"],
  ActorServices
>

export interface Kind<Parts extends KindParts = KindParts> {
  readonly fold: KindFold
  readonly state: Schema.Codec<unknown>
  /** Format of the state and its fold, in snapshots. */
  readonly format: number
  readonly events: EventUnion | null
  readonly make: (parts: Parts) => AnyDefinition
}

/** As the engine sees it, without the types of its state and events. */
export type AnyDefinition = ActorDefinition<ActorTypes, ActorServices>

/** The behavior of a kind, beside its fold. */
type Behaviour<A extends ActorTypes, Ops extends Readonly<Record<string, Declared>>> = Omit<
  ActorDefinition<A, ActorServices>,
  "kind" | "initial" | "evolve" | "events" | "ends" | "operations"
> & {
  readonly operations: Operating<Ops, A>
  /** The state as operations see it once the log was restored, at unix ms `restoredAt` (engine/since-restore.ts). */
  seenSince?(state: A["state"], restoredAt: number): A["state"]
}

/** Joins the two sides. `declared`: all that may be asked of the kind, as schemas/ says it. */
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
