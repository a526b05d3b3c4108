/** A question as it is kept and graded. */
import { Schema } from "effect"
import { Sealed } from "../../../schemas/secret/sealed.ts"

/** How the grader reads an answer: `time` is a 24-hour clock, `time12` a 12-hour clock with am or pm. */
export const AnswerKind = Schema.Literals(["number", "word", "time", "time12"])
export type AnswerKind = typeof AnswerKind.Type

/**
 * The explicit output format of a question that asks for one.
 * `json`: the answer is a JSON object, compared after parsing. `exact`: the answer is compared as it stands.
 */
export const FormatRule = Schema.Literals(["json", "exact"])
export type FormatRule = typeof FormatRule.Type

/** Plain JSON, so that it can be kept in an actor's state. Only `id` and `prompt` may ever leave the server. */
export const Question = Schema.Struct({
  id: Schema.String,
  prompt: Schema.String,
  /** Sealed in the log (log/seal.ts). */
  answer: Sealed,
  kind: AnswerKind,
  format: Schema.NullOr(FormatRule)
})
export type Question = typeof Question.Type

export const QUESTIONS_PER_CHALLENGE = 5
export const MIN_REASONING_QUESTIONS = 4
export const MAX_PROMPT_CHARS = 1600
/** What our own questions keep to, so that five are read and answered in a minute. */
export const MIN_STORY_CHARS = 400
export const MAX_STORY_CHARS = 1500
/** Longer answers are wrong before anything looks into them. */
export const MAX_ANSWER_CHARS = 200
