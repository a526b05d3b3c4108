/**
 * Pure decisions on the answers to a challenge: they make a new agent (spec 4.3; contract 14), or let an existing one
 * pass (contract 22).
 */
import { LOOKS_LIKE_IDENTITY, RESERVED_HANDLES, webhookAddressProblem } from "../../schemas/agent/fields.ts"
import type { AgentPrivate } from "../../schemas/agent/records.ts"
import { invalidField, type Refusal, refusal } from "../../schemas/errors.ts"
import type { Register } from "../../schemas/registration/api.ts"
import { privateProfile } from "../agent/noun.ts"
import type { Companion, Decision, DecideContext } from "../engine/definition.ts"
import { newAgent } from "./new-agent.ts"
import { gradeAll } from "./questions/grade.ts"
import type { Question } from "./questions/question.ts"
import { type Rules, unknown } from "./rules.ts"
import type { Challenge, ChallengeEvent, ChallengeState } from "./state.ts"

export interface RegisterInput {
  readonly form: Register
  readonly hub_id: string
}

export interface RegisterFacts {
  /** The agent number; 0 if the command was refused before one was drawn. */
  readonly number: number
  readonly sealedSecret: string
  /** The questions that were served, with their answers opened. */
  readonly questions: ReadonlyArray<Question>
}

export interface RegisterReply {
  readonly profile: AgentPrivate
  readonly sealedSecret: string
}

type Attempt = Pick<Register, "answers" | "captcha_bypass">

/**
 * The refusal of a key's answers to a challenge; `null` if there is none. `invalid`: the problem with the answers'
 * form.
 */
const judgeAttempt = (
  state: ChallengeState,
  { attempt, hub_id }: { readonly attempt: Attempt; readonly hub_id: string },
  at: number,
  rules: Rules,
  questions: ReadonlyArray<Question>,
  invalid: Refusal | null = null
): Decision<ChallengeEvent, never> | null => {
  if (state === null) return unknown
  if (state.status === "consumed" || state.status === "void") {
    return { refused: refusal("challenge_used", "This challenge is spent. Begin with step 1.") }
  }
  if (state.hub_id !== hub_id) {
    return { refused: refusal("challenge_key_mismatch", "Sign with the key for which the challenge was made.") }
  }
  if (invalid !== null) return { refused: invalid }
  if (attempt.captcha_bypass !== undefined) return judgeBypass(state, attempt.captcha_bypass, at, rules)
  if (state.status === "open") {
    return at > state.created_at + rules.limits.registration.pow_window_seconds * 1000
      ? { refused: refusal("challenge_expired", "The time for the proof of work is over. Begin with step 1.") }
      : { refused: refusal("questions_not_served", "Fetch the questions first: step 2.") }
  }
  if (at > state.answers_due) {
    return {
      refused: refusal("challenge_expired", "The answers came too late. Begin with step 1."),
      events: [{ type: "challenge.voided", v: 1, reason: "late" }]
    }
  }
  return judgeAnswers(questions, attempt, rules)
}

/** The refusal of the registration; `null` if it may continue. */
export const judgeRegister = (
  state: ChallengeState,
  { form, hub_id }: RegisterInput,
  at: number,
  rules: Rules,
  questions: ReadonlyArray<Question>
): Decision<ChallengeEvent, never> | null =>
  judgeAttempt(state, { attempt: form, hub_id }, at, rules, questions, formProblem(form, rules))

/**
 * Decides on the answers of an existing agent (contract 22). An agent that has passed this challenge passes it again.
 */
export const decidePass = (
  state: ChallengeState,
  { hub_id, ...attempt }: Attempt & { readonly hub_id: string },
  { at, facts }: Pick<DecideContext<{ readonly questions: ReadonlyArray<Question> }>, "at" | "facts">,
  rules: Rules
): Decision<ChallengeEvent> => {
  if (state?.used_by === hub_id) return { events: [] }
  return (
    judgeAttempt(state, { attempt, hub_id }, at, rules, facts.questions) ?? {
      events: [{ type: "challenge.consumed", v: 1, agent: hub_id }]
    }
  )
}

const judgeAnswers = (
  questions: ReadonlyArray<Question>,
  attempt: Attempt,
  rules: Rules
): Decision<ChallengeEvent, never> | null => {
  const { correct, wrong } = gradeAll(questions, attempt.answers)
  const required = rules.limits.registration.required_correct
  if (correct >= required) return null
  return {
    refused: refusal(
      "challenge_wrong_answers",
      `${correct} of ${questions.length} answers are right; ${required} are needed. Begin with step 1.`,
      { correct, required, wrong }
    ),
    events: [{ type: "challenge.voided", v: 1, reason: "wrong answers" }]
  }
}

/**
 * The bypass exists only on development servers with a configured token (spec 4.3). A wrong token leaves the challenge
 * unchanged.
 */
const judgeBypass = (
  state: Challenge,
  token: string,
  at: number,
  rules: Rules
): Decision<ChallengeEvent, never> | null => {
  if (rules.production || rules.captchaBypass === null || token !== rules.captchaBypass) {
    return { refused: refusal("captcha_bypass_refused", "captcha_bypass is not accepted here.") }
  }
  const { pow_window_seconds, answer_ttl_seconds } = rules.limits.registration
  return at > state.created_at + (pow_window_seconds + answer_ttl_seconds) * 1000
    ? { refused: refusal("challenge_expired", "The challenge is too old. Begin with step 1.") }
    : null
}

const formProblem = (form: Register, rules: Rules): Refusal | null => {
  const handle = form.handle.toLowerCase()
  if (RESERVED_HANDLES.has(handle) || handle === rules.ownName.toLowerCase()) {
    return invalidField("handle", "This handle is reserved.", { rule: "reserved" })
  }
  if (LOOKS_LIKE_IDENTITY.test(handle)) {
    return invalidField("handle", "A handle must not look like a hub id or an agent number.", { rule: "reserved" })
  }
  if (typeof form.webhook_url === "string") {
    const problem = webhookAddressProblem(form.webhook_url, rules.production)
    if (problem !== null) return invalidField("webhook_url", `webhook_url ${problem}.`)
  }
  return null
}

export const decideRegister = (
  state: ChallengeState,
  input: RegisterInput,
  context: DecideContext<RegisterFacts>,
  rules: Rules
): Decision<ChallengeEvent, RegisterReply> => {
  const against = judgeRegister(state, input, context.at, rules, context.facts.questions)
  if (against !== null || state === null) return against ?? unknown
  const { form } = input
  const registered = {
    number: context.facts.number,
    public_key: state.public_key,
    handle: form.handle.toLowerCase(),
    name: form.name,
    description: form.description ?? "",
    transparency: form.transparency ?? "",
    links: form.links ?? [],
    webhook_url: form.webhook_url ?? null,
    webhook_secret: context.facts.sealedSecret
  }
  const { agent, companions, timers } = newAgent({ id: state.hub_id, registered }, context.at, rules.limits)
  const reply: RegisterReply = {
    profile: privateProfile(state.hub_id, agent, context.at, rules.baseUrl),
    sealedSecret: context.facts.sealedSecret
  }
  return { events: [{ type: "challenge.consumed", v: 1, agent: state.hub_id }], reply, companions, timers }
}

/** Another registration was faster. It took the handle (spec 3.3: the challenge is used up), or it had the same key. */
export const contestedRegister = (lost: Companion): Decision<ChallengeEvent, never> =>
  lost.kind === "handle"
    ? {
        refused: refusal("handle_taken", "This handle is taken. Begin with step 1 and another handle.", {
          field: "handle"
        }),
        events: [{ type: "challenge.consumed", v: 1, agent: null }]
      }
    : {
        refused: refusal("key_already_registered", "An agent has this key already."),
        events: [{ type: "challenge.consumed", v: 1, agent: null }]
      }
