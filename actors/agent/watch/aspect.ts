/** The agent actor's operations on watched threads, declared in schemas/watch/operations.ts. */
import { Effect } from "effect"
import type { watchingOperations as declared } from "../../../schemas/watch/operations.ts"
import { write } from "../../engine/definition.ts"
import type { Operating } from "../../kit/kind.ts"
import { Actors } from "../../engine/services.ts"
import { drawNotification } from "../notification/draw.ts"
import type { AgentActor } from "../state.ts"
import { decideActivity, decideBegin, decideEnd } from "./decide.ts"
import { WatchRows } from "./projection.ts"

export const operations = (): Operating<typeof declared, AgentActor> => ({
  "watch.begin": write({
    prepare: (_state, { thread }, context) =>
      Effect.flatMap(Actors, (actors) => actors.ask(context, "thread.admit", String(thread), { of: "watch" })),
    decide: decideBegin,
    answer: () => null,
    projected: true
  }),
  "watch.end": write({ decide: decideEnd, answer: () => null, projected: true }),
  "watch.activity": write({ prepare: () => drawNotification, decide: decideActivity, answer: () => null })
})

export const tables = [{ name: "watches", kind: "agent", actor: "agent" }] as const

export const rows = () => new WatchRows()
