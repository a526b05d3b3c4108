/** The challenge actor: registration from its first step to the agent (spec 4.3). */
import { randomBytes } from "node:crypto"
import { type ErrorCode, type Refusal, unavailable } from "../../schemas/errors.ts"
import { type PrepareContext, read, write } from "../engine/definition.ts"
import { nextNumber } from "../engine/counters.ts"
import { isSealed, Sealer } from "../engine/seal.ts"
import { type Fold, kind, type KindParts } from "../kind.ts"
import { newWebhookSecret, secretPurpose } from "../webhook/secret.ts"
import {
  challengeRecord,
  contestedRegister,
  type CreateFacts,
  decideCreate,
  decideRegister,
  decideServe,
  judgeRegister,
  questionsRecord,
  type RegisterFacts,
  type RegisterInput,
  type RegisterReply,
  type Rules,
  type ServeFacts
} from "./decide.ts"
import { generateQuestions } from "./questions/generate.ts"
import type { Question } from "./questions/question.ts"
import { randomFromSeed, SEED_BYTES } from "./questions/random.ts"
import { ChallengeEvent, type ChallengeState, evolve } from "./state.ts"

interface CreateInput {
  readonly public_key: string
  readonly hub_id: string
  readonly origin: string
}

type FullRegisterInput = RegisterInput & { readonly origin: string; readonly wide_home?: string | null }

const PREFIX_BYTES = 16
const REMEMBERED_SECONDS = 3600
const COUNT_WITHIN_MS = 5_000

/** What a sealed answer is bound to. */
export const answerPurpose = (challenge: string): string => `answer ${challenge}`

/** Refusals of step 3 that void the challenge: in a /48 such a one counts twice (contract 21). */
const VOIDED: ReadonlySet<string> = new Set<ErrorCode>(["challenge_wrong_answers", "challenge_expired"])

const text = new TextDecoder()

const fold: Fold<ChallengeState, ChallengeEvent> = {
  kind: "challenge",
  initial: null,
  events: ChallengeEvent,
  evolve
}

const rulesOf = ({ config }: KindParts): Rules => ({
  limits: config.limits,
  production: config.env === "production",
  captchaBypass: config.captchaBypass,
  baseUrl: config.baseUrl,
  ownName: config.name
})

export const challengeKind = kind(fold, (parts) => {
  const rules = rulesOf(parts)
  const sealer = new Sealer(parts.seed)
  const { registration } = parts.config.limits

  const askFor = async <T>(
    context: PrepareContext,
    kind: string,
    actor: string,
    op: string
  ): Promise<T | { readonly refused: Refusal }> => {
    const answer = await parts.ask({
      id: `${context.commandId}-${op}`,
      kind,
      actor,
      op,
      input: null,
      deadline: context.deadline,
      traceparent: context.traceparent
    })
    return answer.head.refused === undefined
      ? (JSON.parse(text.decode(answer.body)) as T)
      : { refused: answer.head.refused }
  }

  const prepareCreate = async (
    input: CreateInput,
    context: PrepareContext
  ): Promise<CreateFacts | { readonly refused: Refusal }> => {
    const [key, recent] = await Promise.all([
      askFor<{ state: CreateFacts["key"] }>(context, "agent", input.hub_id, "agent.admit_key"),
      askFor<{ registrations: number }>(context, "origin", input.origin, "origin.recent")
    ])
    if ("refused" in key) return key
    if ("refused" in recent) return recent
    return { prefix: randomBytes(PREFIX_BYTES).toString("hex"), registrations: recent.registrations, key: key.state }
  }

  /** The log says nobody what the right answers are: they are sealed there, each for its own challenge. */
  const sealedQuestions = (id: string): ReadonlyArray<Question> =>
    generateQuestions(randomFromSeed(randomBytes(SEED_BYTES)), parts.bank).map((question) => ({
      ...question,
      answer: sealer.seal(question.answer, answerPurpose(id))
    }))

  const openedQuestions = (state: ChallengeState, id: string): ReadonlyArray<Question> =>
    // One that an older release has served stands there as it is.
    (state?.questions ?? []).map((question) => ({
      ...question,
      answer: isSealed(question.answer) ? sealer.open(question.answer, answerPurpose(id)) : question.answer
    }))

  const prepareRegister = async (
    state: ChallengeState,
    input: RegisterInput,
    { at, id }: PrepareContext
  ): Promise<RegisterFacts | { readonly refused: Refusal }> => {
    const questions = openedQuestions(state, id)
    if (judgeRegister(state, input, at, rules, questions) !== null) return { number: 0, sealedSecret: "", questions }
    try {
      return {
        number: await nextNumber(parts.nats, "agent"),
        sealedSecret: sealer.seal(newWebhookSecret(), secretPurpose(input.hub_id)),
        questions
      }
    } catch {
      return { refused: unavailable("No agent number could be drawn at the moment.") }
    }
  }

  /**
   * What follows from a registration elsewhere: it raises the difficulty, or uses up challenges. Lost with the node,
   * it does no harm.
   */
  const count = (id: string, kind: string, actor: string, op: string, input: unknown): void => {
    void parts.ask({ id, kind, actor, op, input, deadline: Date.now() + COUNT_WITHIN_MS })
  }

  return {
    // Set by releases whose log did not forget by itself: heard, and nothing is left to do.
    onTimer: "challenge.erase",
    // A late or repeated step still hears what has become of its challenge; then the log forgets it.
    keepSeconds: registration.pow_window_seconds + registration.answer_ttl_seconds + REMEMBERED_SECONDS,
    operations: {
      "challenge.create": write<ChallengeState, CreateInput, ChallengeEvent, CreateFacts>({
        prepare: (_state, input, context) => prepareCreate(input, context),
        decide: (state, input, context) => decideCreate(state, input, context, rules),
        answer: (state, _reply, { id }) => (state === null ? null : challengeRecord(id, state, rules))
      }),
      "challenge.serve": write<ChallengeState, { readonly pow_nonce: unknown }, ChallengeEvent, ServeFacts>({
        prepare: (_state, _input, { id }) => Promise.resolve({ questions: sealedQuestions(id) }),
        decide: (state, input, context) => decideServe(state, input, context, rules),
        answer: (state, _reply, { id }) => (state === null ? null : questionsRecord(id, state, rules))
      }),
      "challenge.register": write<ChallengeState, FullRegisterInput, ChallengeEvent, RegisterFacts>({
        prepare: (state, input, context) => prepareRegister(state, input, context),
        decide: (state, input, context) => decideRegister(state, input, context, rules),
        contested: (_state, _input, lost) => contestedRegister(lost),
        answer: (_state, reply) => registeredRecord(reply as RegisterReply, sealer, rules),
        projected: true,
        after: (input, context, refused) => {
          // An edge of the release before does not tell.
          const { origin, wide_home: wideHome = null } = input
          if (refused === null) count(`origin-${context.id}`, "origin", origin, "origin.record", null)
          else if (wideHome !== null && VOIDED.has(refused.code)) {
            count(`failed-${context.id}`, "limit", wideHome, "limit.draw", {
              bucket: "register",
              wanted: 1,
              wide: true
            })
          }
        }
      }),
      "challenge.erase": read<ChallengeState, null>(() => ({ data: null }))
    }
  }
})

const registeredRecord = (reply: RegisterReply, sealer: Sealer, rules: Rules) => ({
  ...reply.profile,
  webhook_secret: sealer.open(reply.sealedSecret, secretPurpose(reply.profile.id)),
  welcome: `Welcome, ${reply.profile.name}. You are ${reply.profile.hx_id}. Keep webhook_secret: it is not shown again. Sign GET ${rules.baseUrl}/api/v1/me to see your profile.`
})
