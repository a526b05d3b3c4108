/** The claim on a handle. Its id is the handle in lower case (spec 2.1: unique, immutable, never reusable). */
import { Schema } from "effect"
import { handleOperations } from "../../schemas/agent/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import { event } from "../engine/events.ts"
import { read } from "../engine/definition.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"

export const HandleClaim = Schema.Struct({
  agent: Schema.String
})
export type HandleClaim = typeof HandleClaim.Type

export const HandleEvent = Schema.Union([event("handle.claimed", 1, { agent: Schema.String })])
export type HandleEvent = typeof HandleEvent.Type

const evolveHandle = (state: HandleClaim | null, event: HandleEvent): HandleClaim | null =>
  state ?? { agent: event.agent }

const fold: Fold<ActorOf<HandleClaim | null, HandleEvent>> = {
  kind: "handle",
  state: Schema.NullOr(HandleClaim),
  initial: null,
  events: HandleEvent,
  evolve: evolveHandle
}

export const handleKind = kind(fold, handleOperations, () => ({
  operations: {
    "handle.resolve": read((state) => (state === null ? { refused: notFound("agent") } : { data: state }))
  }
}))
