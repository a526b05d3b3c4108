/** An actor kind as the service lists it: the log's side, pure, and what makes its operations of the node's parts. */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import type { Schema } from "effect"
import type { HubConfig } from "../schemas/config.ts"
import type { ActorDefinition, EventShape } from "./engine/definition.ts"
import { type EventUnion, inventoryOf } from "./engine/events.ts"
import type { NonceLog } from "./engine/nonces.ts"
import type { EventLog } from "./engine/ports.ts"
import { formatOf } from "./engine/state-format.ts"
import type { Bank } from "./registration/questions/bank/bank.ts"
import type { ActorServices } from "./services.ts"

export interface KindParts {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly config: Pick<HubConfig, "env" | "limits" | "baseUrl" | "hosts" | "captchaBypass" | "name">
  /** What registration questions are made of. */
  readonly bank: Bank
  /** The service's seed. */
  readonly seed: Uint8Array
  readonly log: EventLog
  /** Nonces of signed requests, and of proofs of identity to websites. */
  readonly nonces: NonceLog
  readonly proofs: NonceLog
  /** State of an actor of the same shard. */
  readonly stateOf: <State>(kind: string, id: string) => Promise<State>
}

/** What of a kind stands in the log, as the kind itself says it. */
export interface Fold<State, Event extends EventShape> extends Pick<
  ActorDefinition<State, Event>,
  "kind" | "initial" | "evolve"
> {
  /** Plain JSON: a snapshot of it is read only by a release that declares it alike. */
  readonly state: Schema.Codec<State>
  /** `null`: of a kind without a log. */
  readonly events: EventUnion | null
}

/** How a kind's events fold into its state: enough for replay, the list of events and tests. */
export type KindFold<State = unknown, Event extends EventShape = EventShape> = Pick<
  ActorDefinition<State, Event>,
  "kind" | "initial" | "evolve" | "events"
>

export interface Kind {
  readonly fold: KindFold
  readonly state: Schema.Codec<unknown>
  /** Of the state, in snapshots. */
  readonly format: number
  readonly events: EventUnion | null
  readonly make: (parts: KindParts) => AnyDefinition
}

/** As the engine sees it, without the types of its state and events. */
export type AnyDefinition = ActorDefinition<unknown, EventShape, ActorServices>

/** Joins the two sides; the engine sees a kind without its types. */
export const kind = <State, Event extends EventShape>(
  { events, state, ...rest }: Fold<State, Event>,
  operate: (
    parts: KindParts
  ) => Omit<ActorDefinition<State, Event, ActorServices>, "kind" | "initial" | "evolve" | "events">
): Kind => {
  const fold = { ...rest, events: events === null ? {} : inventoryOf(events) } as unknown as Kind["fold"]
  const plain = state as Schema.Codec<unknown>
  return {
    fold,
    state: plain,
    format: formatOf(plain),
    events,
    make: (parts) => ({ ...fold, ...operate(parts) }) as unknown as AnyDefinition
  }
}
