/** The claim on an agent number. Its id is the number in its canonical form (spec 2.1: permanent, never reused). */
import { Schema } from "effect"
import { numberOperations } from "../../schemas/agent/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import { event } from "../engine/events.ts"
import { read } from "../engine/definition.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"

export const NumberClaim = Schema.Struct({
  agent: Schema.String
})
export type NumberClaim = typeof NumberClaim.Type

export const NumberEvent = Schema.Union([event("number.claimed", 1, { agent: Schema.String })])
export type NumberEvent = typeof NumberEvent.Type

const evolveNumber = (state: NumberClaim | null, event: NumberEvent): NumberClaim | null =>
  state ?? { agent: event.agent }

const fold: Fold<ActorOf<NumberClaim | null, NumberEvent>> = {
  kind: "number",
  state: Schema.NullOr(NumberClaim),
  initial: null,
  events: NumberEvent,
  evolve: evolveNumber
}

export const numberKind = kind(fold, numberOperations, () => ({
  operations: {
    "number.resolve": read((state) => (state === null ? { refused: notFound("identity") } : { data: state }))
  }
}))
