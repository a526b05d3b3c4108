/** The three steps of registration as decisions (spec 3.3, 4.3; contract 14). Pure. */
import { LOOKS_LIKE_IDENTITY, RESERVED_HANDLES, webhookAddressProblem } from "../../schemas/agent/fields.ts"
import type { AgentPrivate } from "../../schemas/agent/records.ts"
import { invalidField, type Refusal, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type {
  Challenge as ChallengeRecord,
  Questions as QuestionsRecord,
  Register
} from "../../schemas/registration/api.ts"
import { POW_NONCE_PATTERN, powHash, powHolds } from "../../schemas/signing/pow.ts"
import { registrationEvents } from "../agent/decide.ts"
import { evolve as evolveAgent } from "../agent/evolve.ts"
import { iso, privateProfile } from "../agent/profile.ts"
import type { AgentState } from "../agent/state.ts"
import type { Companion, Decision, DecideContext } from "../engine/definition.ts"
import type { HandleEvent } from "../handle/actor.ts"
import type { KeyEvent } from "../key/actor.ts"
import { activeTimeTimer } from "../agent/moderation/decide.ts"
import { newlyModerated } from "../agent/moderation/state.ts"
import type { NumberEvent } from "../number/actor.ts"
import { gradeAll } from "./questions/grade.ts"
import type { Question } from "./questions/question.ts"
import type { Challenge, ChallengeEvent, ChallengeState } from "./state.ts"

export interface Rules {
  readonly limits: Limits
  readonly production: boolean
  readonly captchaBypass: string | null
  readonly baseUrl: string
  /** The deployment's own name, reserved as a handle (spec 2.1). */
  readonly ownName: string
}

const unknown: { readonly refused: Refusal } = {
  refused: refusal("challenge_unknown", "There is no such challenge. Begin with step 1.")
}

// Step 1

export interface CreateFacts {
  readonly prefix: string
  /** Registrations from the same address in the last hour. */
  readonly registrations: number
  readonly key: "free" | "registered" | "retired"
}

export interface CreateInput {
  readonly public_key: string
  readonly hub_id: string
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
    rule: `Find an ASCII string pow_nonce such that the lowercase hex sha256 of prefix + pow_nonce starts with ${challenge.difficulty} zeros.`,
    note: "prefix is text, not bytes: join the two strings as they are. Counting up from 0 will do."
  },
  pow_expires_at: iso(challenge.created_at + rules.limits.registration.pow_window_seconds * 1000),
  public_key: challenge.public_key,
  hub_id: challenge.hub_id,
  next: `POST ${rules.baseUrl}/api/v1/register/challenge/${id}/questions`
})

// Step 2

export interface ServeFacts {
  /** With their answers sealed. */
  readonly questions: ReadonlyArray<Question>
}

interface ServeInput {
  readonly pow_nonce: unknown
}

/** What stands against the questions, before any are drawn; `null` when nothing does. */
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
    return { refused: invalidField("pow_nonce", "pow_nonce must be a string of 1 to 128 printable ASCII characters.") }
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

// Step 3

export interface RegisterInput {
  readonly form: Register
  readonly hub_id: string
}

export interface RegisterFacts {
  /** The agent number; 0 where the command was refused before one was drawn. */
  readonly number: number
  readonly sealedSecret: string
  /** Those that were served, with their answers opened. */
  readonly questions: ReadonlyArray<Question>
}

export interface RegisterReply {
  readonly profile: AgentPrivate
  readonly sealedSecret: string
}

/** What stands against the registration, before the world is asked for anything; `null` when nothing does. */
export const judgeRegister = (
  state: ChallengeState,
  input: RegisterInput,
  at: number,
  rules: Rules,
  questions: ReadonlyArray<Question>
): Decision<ChallengeEvent, never> | null => {
  if (state === null) return unknown
  if (state.status === "consumed" || state.status === "void") {
    return { refused: refusal("challenge_used", "This challenge is spent. Begin with step 1.") }
  }
  if (state.hub_id !== input.hub_id) {
    return { refused: refusal("challenge_key_mismatch", "Sign with the key for which the challenge was made.") }
  }
  const invalid = formProblem(input.form, rules)
  if (invalid !== null) return { refused: invalid }
  if (input.form.captcha_bypass !== undefined) return judgeBypass(state, input.form.captcha_bypass, at, rules)
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
  return judgeAnswers(questions, input.form, rules)
}

const judgeAnswers = (
  questions: ReadonlyArray<Question>,
  form: Register,
  rules: Rules
): Decision<ChallengeEvent, never> | null => {
  const { correct, wrong } = gradeAll(questions, form.answers)
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

/** spec 4.3: development servers with a configured token only; a wrong token leaves the challenge as it was. */
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
  const handle = form.handle.toLowerCase()
  const events = registrationEvents({
    type: "agent.registered",
    v: 1,
    number: context.facts.number,
    public_key: state.public_key,
    handle,
    name: form.name,
    description: form.description ?? "",
    transparency: form.transparency ?? "",
    links: form.links ?? [],
    webhook_url: form.webhook_url ?? null,
    webhook_secret: context.facts.sealedSecret
  })
  let agent: AgentState = null
  for (const event of events) agent = evolveAgent(agent, event, { at: context.at })
  if (agent === null) throw new Error("Registration made no agent")
  const reply: RegisterReply = {
    profile: privateProfile(state.hub_id, agent, context.at, rules.baseUrl),
    sealedSecret: context.facts.sealedSecret
  }
  const keyClaimed: KeyEvent = { type: "key.claimed", v: 1, agent: state.hub_id, public_key: state.public_key }
  const handleClaimed: HandleEvent = { type: "handle.claimed", v: 1, agent: state.hub_id }
  const numberClaimed: NumberEvent = { type: "number.claimed", v: 1, agent: state.hub_id }
  // All or nothing, each expected where nobody has written: the agent, the claims of its key, handle and number.
  const also: ReadonlyArray<Companion> = [
    { kind: "agent", id: state.hub_id, expected: 0, events },
    { kind: "key", id: state.hub_id, expected: 0, events: [keyClaimed] },
    { kind: "handle", id: handle, expected: 0, events: [handleClaimed] },
    { kind: "number", id: reply.profile.hx_id, expected: 0, events: [numberClaimed] }
  ]
  const timers = activeTimeTimer(newlyModerated(context.at), rules.limits.moderation).map((timer) => ({
    ...timer,
    of: { kind: "agent", id: state.hub_id }
  }))
  return { events: [{ type: "challenge.consumed", v: 1, agent: state.hub_id }], reply, also, timers }
}

/** Somebody was faster: to the handle (spec 3.3: the challenge is consumed) or with the key. */
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
