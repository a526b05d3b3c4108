/**
 * The services that operations of actors use besides their own state. An operation names its services in its type, and
 * the node (process/node.ts) provides all of them.
 */
import { randomBytes } from "node:crypto"
import { type Clock, Context, Effect, Layer } from "effect"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import {
  type OperationName,
  OPERATIONS,
  type Operations,
  type Queries,
  type QueryName,
  type QueryReply
} from "../../schemas/bus/operations.ts"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { QueryClient } from "../../schemas/runtime/bus/queries.ts"
import { type CounterName, subjects } from "../../schemas/subjects.ts"
import { nextNumber } from "../log/counters.ts"
import { requestsOf } from "../log/requests.ts"
import type { PrepareContext } from "./definition.ts"

/**
 * The command that asks. If it is repeated, it asks under the same id, so that the other actor carries a write out
 * once.
 */
export type Asking = Pick<PrepareContext, "commandId" | "deadline" | "traceparent">

/**
 * Gives the context a new command id, for a question that each try of a command must ask again because the last answer
 * may be outdated.
 */
export const anew = <Context extends Asking>(context: Context): Context => ({
  ...context,
  commandId: `${context.commandId}-${randomBytes(8).toString("hex")}`
})

export class Actors extends Context.Service<
  Actors,
  {
    /** Resolves to the `data` of the answer; fails with the other actor's refusal. */
    readonly ask: <Name extends OperationName>(
      asking: Asking,
      op: Name,
      actor: string,
      input: Operations[Name]["input"]
    ) => Effect.Effect<Operations[Name]["output"], Refusal>
  }
>()("hub/actors/Actors") {}

/** Draws numbers that are never used twice (spec 2.1). Each try draws a new one, so gaps are normal. */
export class Counters extends Context.Service<
  Counters,
  { readonly next: (counter: CounterName) => Effect.Effect<number, Refusal> }
>()("hub/actors/Counters") {}

/** The read models. They may be a moment behind the log, so decisions must allow for that. */
export class Views extends Context.Service<
  Views,
  {
    readonly query: <View extends QueryName>(
      asking: Asking,
      view: View,
      input: Queries[View]["input"]
    ) => Effect.Effect<Queries[View]["output"], Refusal>
  }
>()("hub/actors/Views") {}

export type ActorServices = Actors | Counters | Views

const text = new TextDecoder()
const encoder = new TextEncoder()

const noView = unavailable("The service's read side did not answer. It is safe to try again.")

export const viewsOver = (clock: Clock.Clock, nats: NatsConnection): typeof Views.Service => {
  const client = new QueryClient(clock, requestsOf(nats), { newHeaders: headers, isClosed: () => nats.isClosed() })
  return {
    query: <View extends QueryName>({ deadline, traceparent }: Asking, view: View, input: Queries[View]["input"]) =>
      Effect.flatMap(
        Effect.promise(() =>
          client.ask(subjects.query(view), encoder.encode(JSON.stringify(input)), deadline, traceparent)
        ),
        (answer): Effect.Effect<Queries[View]["output"], Refusal> => {
          if (answer === null) return Effect.fail(noView)
          const reply: QueryReply<Queries[View]["output"]> = JSON.parse(text.decode(answer))
          return reply.ok ? Effect.succeed(reply.data) : Effect.fail(reply.refused)
        }
      )
  }
}

export const actorServices = (
  clock: Clock.Clock,
  nats: NatsConnection,
  ask: (ask: Ask) => Promise<Answer>
): Layer.Layer<ActorServices> =>
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
    Layer.succeed(Views, viewsOver(clock, nats)),
    Layer.succeed(Counters, {
      next: (counter) =>
        Effect.tryPromise({
          try: () => nextNumber(nats, counter),
          catch: () => unavailable("The service cannot number this at the moment. It is safe to try again.")
        })
    })
  )
