/** A registration challenge (spec 2.7, 3.3). Its id is 32 hex characters. `null`: there is no such challenge. */
import { Schema } from "effect"
import { event } from "../engine/events.ts"
import { Question } from "./questions/question.ts"

/**
 * The origin of step 1, as keyed hashes; absent from challenges of older releases. `wide_home`: only for an IPv6
 * client.
 */
const begun = { origin: Schema.optionalKey(Schema.String), wide_home: Schema.optionalKey(Schema.String) }

export const Challenge = Schema.Struct({
  public_key: Schema.String,
  hub_id: Schema.String,
  ...begun,
  prefix: Schema.String,
  difficulty: Schema.Number,
  /** Unix ms. */
  created_at: Schema.Number,
  status: Schema.Literals(["open", "served", "consumed", "void"]),
  /** Hub id of the agent that the challenge created or admitted; `null` without one. */
  used_by: Schema.NullOr(Schema.String),
  questions: Schema.Array(Question),
  /** Unix ms at which the answers are due; 0 until the questions are served. */
  answers_due: Schema.Number
})
export type Challenge = typeof Challenge.Type

export const ChallengeState = Schema.NullOr(Challenge)
export type ChallengeState = typeof ChallengeState.Type

export const ChallengeEvent = Schema.Union([
  event("challenge.created", 1, {
    public_key: Schema.String,
    hub_id: Schema.String,
    ...begun,
    prefix: Schema.String,
    difficulty: Schema.Int
  }),
  event("challenge.served", 1, { questions: Schema.Array(Question), answers_due: Schema.Number }),
  event("challenge.voided", 1, { reason: Schema.String }),
  event("challenge.consumed", 1, { agent: Schema.NullOr(Schema.String) })
])
export type ChallengeEvent = typeof ChallengeEvent.Type

export const evolve = (state: ChallengeState, event: ChallengeEvent, meta: { readonly at: number }): ChallengeState => {
  if (event.type === "challenge.created") {
    const { type: _type, v: _v, ...fields } = event
    return { ...fields, created_at: meta.at, status: "open", used_by: null, questions: [], answers_due: 0 }
  }
  if (state === null) return null
  switch (event.type) {
    case "challenge.served":
      return { ...state, status: "served", questions: event.questions, answers_due: event.answers_due }
    // The questions are used up, so their answers are not needed any more.
    case "challenge.voided":
      return { ...state, status: "void", questions: [] }
    case "challenge.consumed":
      return { ...state, status: "consumed", used_by: event.agent, questions: [] }
  }
}
