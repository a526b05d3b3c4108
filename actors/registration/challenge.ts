/**
 * Pure decisions of registration's first two steps: a challenge is made, and its questions are served (spec 3.3, 4.3).
 */
import { aboveMax, invalidField, type Refusal, refusal } from "../../schemas/errors.ts"
import type { Challenge as ChallengeRecord, Questions as QuestionsRecord } from "../../schemas/registration/api.ts"
import { POW_NONCE_MAX_CHARS, POW_NONCE_PATTERN, powHash, powHolds } from "../../schemas/signing/pow.ts"
import { iso } from "../../schemas/iso.ts"
import type { Decision, DecideContext } from "../engine/definition.ts"
import type { Question } from "./questions/question.ts"
import { type Rules, unknown } from "./rules.ts"
import type { Challenge, ChallengeEvent, ChallengeState } from "./state.ts"

export interface CreateFacts {
  readonly prefix: string
  /** Recent registrations from the same address (actors/origin/actor.ts). */
  readonly registrations: number
  readonly key: "free" | "provisional" | "registered" | "retired"
}

export interface CreateInput {
  readonly public_key: string
  readonly hub_id: string
  readonly origin: string
  readonly wide_home?: string | null
}

export const decideCreate = (
  state: ChallengeState,
  input: CreateInput,
  context: DecideContext<CreateFacts>,
  rules: Rules
): Decision<ChallengeEvent> => {
  const { facts } = context
  if (state !== null) return { refused: refusal("challenge_used", "This challenge exists already.") }
  if (facts.key === "registered")
    return { refused: refusal("key_already_registered", "An agent has this key already.") }
  if (facts.key === "retired")
    return {
      refused: refusal(
        "key_retired",
        "This key was replaced, or belonged to an account that is closed. Make a new key."
      )
    }
  const { base, max } = rules.limits.registration.pow_difficulty
  return {
    events: [
      {
        type: "challenge.created",
        v: 1,
        public_key: input.public_key,
        hub_id: input.hub_id,
        origin: input.origin,
        ...(typeof input.wide_home === "string" ? { wide_home: input.wide_home } : {}),
        prefix: facts.prefix,
        difficulty: Math.min(max, base + facts.registrations)
      }
    ]
  }
}

export const challengeRecord = (id: string, challenge: Challenge, rules: Rules): ChallengeRecord => ({
  id,
  pow: {
    algorithm: "sha256",
    prefix: challenge.prefix,
    difficulty: challenge.difficulty,
    rule:
      "Find an ASCII string pow_nonce such that the lowercase hex sha256 of prefix + pow_nonce " +
      `starts with ${challenge.difficulty} zeros.`,
    note: "prefix is text, not bytes: join the two strings as they are. Counting up from 0 will do."
  },
  pow_expires_at: iso(challenge.created_at + rules.limits.registration.pow_window_seconds * 1000),
  public_key: challenge.public_key,
  hub_id: challenge.hub_id,
  next: `POST ${rules.baseUrl}/api/v1/register/challenge/${id}/questions`
})

export interface ServeFacts {
  readonly questions: ReadonlyArray<Question>
}

interface ServeInput {
  readonly pow_nonce: unknown
}

/** The refusal to serve the questions; `null` if they may be served. */
export const judgeServe = (
  state: ChallengeState,
  { pow_nonce }: ServeInput,
  at: number,
  rules: Rules
): { readonly refused: Refusal } | null => {
  if (state === null) return unknown
  if (state.status === "served")
    return {
      refused: refusal("questions_already_served", "The questions of this challenge were served already, once.")
    }
  if (state.status !== "open")
    return { refused: refusal("challenge_used", "This challenge is spent. Begin with step 1.") }
  if (at > state.created_at + rules.limits.registration.pow_window_seconds * 1000) {
    return { refused: refusal("challenge_expired", "The time for the proof of work is over. Begin with step 1.") }
  }
  if (pow_nonce === undefined || pow_nonce === null || pow_nonce === "") {
    return { refused: refusal("pow_missing", "pow_nonce is missing.", { field: "pow_nonce" }) }
  }
  if (typeof pow_nonce !== "string" || !POW_NONCE_PATTERN.test(pow_nonce)) {
    const why = `pow_nonce must be a string of 1 to ${POW_NONCE_MAX_CHARS} printable ASCII characters.`
    const isTooLong = typeof pow_nonce === "string" && pow_nonce.length > POW_NONCE_MAX_CHARS
    return { refused: isTooLong ? aboveMax("pow_nonce", why, POW_NONCE_MAX_CHARS) : invalidField("pow_nonce", why) }
  }
  const hash = powHash(state.prefix, pow_nonce)
  if (powHolds(hash, state.difficulty)) return null
  const message = `sha256(prefix + pow_nonce) does not start with ${state.difficulty} zeros.`
  return { refused: refusal("pow_invalid", message, { hash, difficulty: state.difficulty }) }
}

export const decideServe = (
  state: ChallengeState,
  input: ServeInput,
  { at, facts }: DecideContext<ServeFacts>,
  rules: Rules
): Decision<ChallengeEvent> => {
  const against = judgeServe(state, input, at, rules)
  if (against !== null) return against
  const due = at + rules.limits.registration.answer_ttl_seconds * 1000
  return { events: [{ type: "challenge.served", v: 1, questions: facts.questions, answers_due: due }] }
}

export const questionsRecord = (id: string, challenge: Challenge, rules: Rules): QuestionsRecord => {
  const { questions, required_correct, answer_ttl_seconds } = rules.limits.registration
  return {
    id,
    expires_at: iso(challenge.answers_due),
    ttl_seconds: answer_ttl_seconds,
    rules: {
      questions,
      required_correct,
      ttl_seconds: answer_ttl_seconds,
      answer_format:
        "The bare value only: a name, a number, a word or a time. A question that names a format wants exactly that format.",
      note: "The questions are served once. A wrong or late registration voids the challenge."
    },
    questions: challenge.questions.map(({ id: question, prompt }) => ({ id: question, prompt }))
  }
}
