/**
 * Kind `letter`. Its id is the letter's id. It is only asked by timers, and by the node that reports the outcome of an
 * attempt.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"

/**
 * The outcome of an attempt. `reason` is one of the service's own texts, never a server's, which may repeat an address.
 *  - `passing`: certainly not sent, but a later attempt may succeed. `retry_after` is the least number of seconds to
 *    wait, if the other side names one.
 *  - `final`: certainly not sent, and no attempt can succeed.
 *  - `unknown`: the mail server has received the whole letter, but has not answered.
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
  "letter.send": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  "letter.overdue": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  "letter.settle": op({
    input: Schema.Struct({ attempt: Schema.Int, outcome: LetterOutcome }),
    output: Nothing,
    askedBy: []
  })
})
