/** Kind `letter`, id = the letter's. Only timers ask it, and the actor itself with the outcome of an attempt. */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"

/**
 * The outcome of an attempt. `reason`: words of ours, never a server's, which may repeat an address.
 *  - `passing`: not sent, for certain; a later attempt may do better. `retry_after`: no sooner than in so many seconds,
 *    where the other side says so.
 *  - `final`: not sent, for certain, and no attempt will do better.
 *  - `unknown`: the mail server had all of it, and did not say what became of it.
 */
export const LetterOutcome = Schema.Union([
  Schema.Struct({ type: Schema.Literal("sent"), message_id: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("passing"),
    reason: Schema.String,
    retry_after: Schema.optionalKey(Schema.Number)
  }),
  Schema.Struct({ type: Schema.Literals(["final", "unknown"]), reason: Schema.String })
])
export type LetterOutcome = typeof LetterOutcome.Type

export const letterOperations = operationsOf("letter", {
  /** An attempt is due. */
  "letter.send": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  /** Fires when the outcome of an attempt is overdue. */
  "letter.overdue": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  "letter.settle": op({
    input: Schema.Struct({ attempt: Schema.Int, outcome: LetterOutcome }),
    output: Nothing,
    askedBy: []
  })
})
