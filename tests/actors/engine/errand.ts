/** A kind whose writes ask somebody outside the service before they decide, as a provider or a container engine. */
import { Effect, Schema } from "effect"
import { type EventShape, write } from "../../../actors/engine/definition.ts"
import { event } from "../../../actors/engine/events.ts"
import { type Kind, kind } from "../../../actors/kind.ts"
import { unavailable } from "../../../schemas/errors.ts"

export const NODE_HEADER = "x-node"

type Done = EventShape & { readonly type: "errand.done"; readonly said: string }

export const errandKind = (provider: string): Kind =>
  kind<ReadonlyArray<string>, Done>(
    {
      kind: "errand",
      state: Schema.Array(Schema.String),
      initial: [],
      events: Schema.Union([event("errand.done", 1, { said: Schema.String })]),
      evolve: (state, { said }) => [...state, said]
    },
    () => ({
      operations: {
        "errand.run": write<ReadonlyArray<string>, null, Done, string>({
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
