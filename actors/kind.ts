/** An actor kind as the service lists it: the log's side, pure, and what makes its operations of the node's parts. */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import type { Answer } from "../schemas/bus/asker.ts"
import type { Ask } from "../schemas/bus/frames.ts"
import type { HubConfig } from "../schemas/config.ts"
import type { ActorDefinition, EventShape } from "./engine/definition.ts"
import type { NonceLog } from "./engine/nonces.ts"
import type { EventLog } from "./engine/ports.ts"
import type { Bank } from "./registration/questions/bank/bank.ts"

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
  /** Asks another actor, wherever it lives. */
  readonly ask: (ask: Ask) => Promise<Answer>
  /** State of an actor of the same shard. */
  readonly stateOf: <State>(kind: string, id: string) => Promise<State>
}

/** How a kind's events fold into its state: enough for replay, the list of events and tests. */
export type Fold<State, Event extends EventShape> = Pick<
  ActorDefinition<State, Event>,
  "kind" | "initial" | "evolve" | "events"
>

export interface Kind {
  readonly fold: Fold<unknown, EventShape>
  readonly make: (parts: KindParts) => ActorDefinition
}

/** Joins the two sides; the engine sees a kind without its types. */
export const kind = <State, Event extends EventShape>(
  fold: Fold<State, Event>,
  rest: (parts: KindParts) => Omit<ActorDefinition<State, Event>, "kind" | "initial" | "evolve" | "events">
): Kind => ({
  fold: fold as unknown as Kind["fold"],
  make: (parts) => ({ ...fold, ...rest(parts) }) as unknown as ActorDefinition
})
