/** The claim on an agent number: id = the number in its canonical form (spec 2.1: permanent, never reused). */
import { notFound } from "../../schemas/errors.ts"
import { read } from "../engine/definition.ts"
import { type Fold, kind } from "../kind.ts"

export interface NumberClaim {
  readonly agent: string
}

export type NumberEvent = { readonly type: "number.claimed"; readonly v: 1; readonly agent: string }

export const NUMBER_EVENTS = { "number.claimed": 1 } as const

export const evolveNumber = (state: NumberClaim | null, event: NumberEvent): NumberClaim | null =>
  state ?? { agent: event.agent }

const fold: Fold<NumberClaim | null, NumberEvent> = {
  kind: "number",
  initial: null,
  events: NUMBER_EVENTS,
  evolve: evolveNumber
}

export const numberKind = kind(fold, () => ({
  operations: {
    "number.resolve": read<NumberClaim | null, null>((state) =>
      state === null ? { refused: notFound("identity") } : { data: state }
    )
  }
}))
