/**
 * What the operations of actors reach beyond their own state. An operation that reaches a service says so in its type;
 * the node (node-runtime.ts) provides all of them.
 */
import { Context, Effect, Layer } from "effect"
import type { NatsConnection } from "@nats-io/transport-node"
import type { Answer } from "../schemas/runtime/bus/asker.ts"
import type { Ask } from "../schemas/bus/frames.ts"
import { type OperationName, OPERATIONS, type Operations } from "../schemas/bus/operations.ts"
import { type Refusal, unavailable } from "../schemas/errors.ts"
import type { CounterName } from "../schemas/subjects.ts"
import { nextNumber } from "./log/counters.ts"
import type { PrepareContext } from "./engine/definition.ts"

/** Of the command that asks: the same command asks under the same id, so that it is answered from memory. */
export type Asking = Pick<PrepareContext, "commandId" | "deadline" | "traceparent">

/** Other actors, wherever they live. */
export class Actors extends Context.Service<
  Actors,
  {
    /** The answer's `data`; fails with the other's refusal. */
    readonly ask: <Name extends OperationName>(
      asking: Asking,
      op: Name,
      actor: string,
      input: Operations[Name]["input"]
    ) => Effect.Effect<Operations[Name]["output"], Refusal>
  }
>()("hub/actors/Actors") {}

/** Numbers that are never given twice (spec 2.1). A gap is no harm: one is drawn for each attempt. */
export class Counters extends Context.Service<
  Counters,
  { readonly next: (counter: CounterName) => Effect.Effect<number, Refusal> }
>()("hub/actors/Counters") {}

export type ActorServices = Actors | Counters

const text = new TextDecoder()

export const actorServices = (nats: NatsConnection, ask: (ask: Ask) => Promise<Answer>): Layer.Layer<ActorServices> =>
  Layer.mergeAll(
    Layer.succeed(Actors, {
      ask: ({ commandId, deadline, traceparent }, op, actor, input) =>
        Effect.flatMap(
          Effect.promise(() =>
            ask({ id: `${commandId}-${op}`, kind: OPERATIONS[op].kind, actor, op, input, deadline, traceparent })
          ),
          ({ head, body }) =>
            head.refused === undefined ? Effect.succeed(JSON.parse(text.decode(body))) : Effect.fail(head.refused)
        )
    }),
    Layer.succeed(Counters, {
      next: (counter) =>
        Effect.tryPromise({
          try: () => nextNumber(nats, counter),
          catch: () => unavailable("The service cannot number this at the moment. It is safe to try again.")
        })
    })
  )
