import { watchOperations } from "../../schemas/watch/operations.ts"
import { write } from "../engine/definition.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { decideJoined, decideLeft, decideReplied, decideSeen } from "./decide.ts"
import { evolveWatch, NOBODY, type WatchActor, WatchEvent, WatchState } from "./state.ts"

const fold: Fold<WatchActor> = {
  kind: "watch",
  state: WatchState,
  initial: NOBODY,
  events: WatchEvent,
  evolve: evolveWatch
}

export const watchKind = kind(fold, watchOperations, () => ({
  operations: {
    "watch.joined": write({ decide: decideJoined, answer: () => null }),
    "watch.left": write({ decide: decideLeft, answer: () => null }),
    "watch.seen": write({ decide: decideSeen, answer: () => null }),
    "watch.replied": write({ decide: decideReplied, answer: () => null })
  }
}))
