/** A question as it is stored and graded. */
import { Schema } from "effect"
import { Sealed } from "../../../schemas/secret/sealed.ts"

/** The form in which the grader reads an answer. `time` is on a 24-hour clock, `time12` on a 12-hour clock with am or pm. */
export const AnswerKind = Schema.Literals(["number", "word", "time", "time12"])
export type AnswerKind = typeof AnswerKind.Type

/**
 * The explicit output format of a question that asks for one. `json`: the answer is a JSON object, compared after
 * parsing. `exact`: the answer is compared character by character.
 */
export const FormatRule = Schema.Literals(["json", "exact"])
export type FormatRule = typeof FormatRule.Type

/** Plain JSON, so that it can be kept in an actor's state. Only `id` and `prompt` may ever leave the server. */
export const Question = Schema.Struct({
  id: Schema.String,
  prompt: Schema.String,
  /** The answer is sealed in the log (log/seal.ts). */
  answer: Sealed,
  kind: AnswerKind,
  format: Schema.NullOr(FormatRule)
})
export type Question = typeof Question.Type

export const QUESTIONS_PER_CHALLENGE = 5
export const MIN_REASONING_QUESTIONS = 4
export const MAX_PROMPT_CHARS = 1600
/** The bounds of generated stories, so that five of them can be read and answered in a minute. */
export const MIN_STORY_CHARS = 400
export const MAX_STORY_CHARS = 1500
/** A longer answer is wrong and is not read. */
export const MAX_ANSWER_CHARS = 200
