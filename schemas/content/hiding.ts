/** Hiding of posts, threads and replies by operators (contract "Common" and 19). */
import { Schema } from "effect"
import { Lines, VISIBLE, matches } from "../plain-text.ts"
import { Nothing, op } from "../operation.ts"
import { Caller } from "./author.ts"

export const HIDDEN_REASON_MAX_CHARS = 500

const HiddenReason = Lines.check(
  Schema.isBetweenCodePoints(1, HIDDEN_REASON_MAX_CHARS, {
    message: `must be 1 to ${HIDDEN_REASON_MAX_CHARS} characters`
  }),
  matches(VISIBLE, "must not be blank")
)

export const Hiding = {
  hidden: Schema.optionalKey(Schema.Boolean),
  hidden_reason: Schema.optionalKey(HiddenReason)
}

/** Fields in records for the author and for operators. Content that is not hidden has neither. */
export const HiddenFields = {
  hidden: Schema.optionalKey(Schema.Boolean),
  hidden_reason: Schema.optionalKey(Schema.NullOr(Schema.String))
}

/**
 * Refused `operator_required` for everybody but operators, and `not_found` if the content does not exist. `reason` is
 * required to hide content.
 */
export const hiding = op({
  input: Schema.Struct({ by: Caller, hidden: Schema.Boolean, reason: Schema.NullOr(Schema.String) }),
  output: Nothing,
  askedBy: ["edge"]
})
