/** A kind whose writes ask somebody outside the service before they decide, as a provider or a container engine. */
import { Effect, Schema } from "effect"
import { write } from "../../../actors/engine/definition.ts"
import type { EventShape } from "../../../actors/log/commit.ts"
import { event } from "../../../actors/engine/events.ts"
import { type ActorOf, type Kind, kind } from "../../../actors/kit/kind.ts"
import { Nothing, op } from "../../../schemas/operation.ts"
import { unavailable } from "../../../schemas/errors.ts"

export const NODE_HEADER = "x-node"

type Done = EventShape & { readonly type: "errand.done"; readonly said: string }

const declared = { "errand.run": op({ input: Nothing, output: Schema.Array(Schema.String), askedBy: [] }) }

export const errandKind = (provider: string): Kind =>
  kind<ActorOf<ReadonlyArray<string>, Done>, typeof declared>(
    {
      kind: "errand",
      state: Schema.Array(Schema.String),
      initial: [],
      events: Schema.Union([event("errand.done", 1, { said: Schema.String })]),
      evolve: (state, { said }) => [...state, said]
    },
    declared,
    () => ({
      operations: {
        "errand.run": write({
          prepare: () =>
            Effect.tryPromise({
              try: async (signal) => {
                const response = await fetch(provider, { signal, headers: { [NODE_HEADER]: String(process.pid) } })
                return response.text()
              },
              catch: () => unavailable("The provider does not answer.")
            }),
          decide: (_state, _input, { facts }) => ({ events: [{ type: "errand.done", v: 1, said: facts }] }),
          answer: (state) => state
        })
      }
    })
  )
