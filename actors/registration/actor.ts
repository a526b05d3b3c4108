/**
 * The challenge actor. It handles a registration from its first step to the new agent (spec 4.3). An existing agent may
 * pass a challenge too (contract 22).
 */
import { randomBytes } from "node:crypto"
import { Clock, Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import type { ErrorCode, Refusal } from "../../schemas/errors.ts"
import { type Admission, registrationOperations } from "../../schemas/registration/operations.ts"
import { type PrepareContext, read, write } from "../engine/definition.ts"
import type { CountedBucket } from "../../schemas/limit/bucket.ts"
import { homeIn, homeOf } from "../../schemas/limit/home.ts"
import { existing } from "../engine/existing.ts"
import { isSealed, Sealer } from "../log/seal.ts"
import { type ActorOf, type Fold, kind, type KindParts } from "../kit/kind.ts"
import { Actors, type ActorServices, Counters } from "../engine/services.ts"
import { newWebhookSecret, secretPurpose } from "../agent/noun.ts"
import {
  challengeRecord,
  type CreateFacts,
  decideCreate,
  decideServe,
  judgeServe,
  questionsRecord
} from "./challenge.ts"
import type { Bank } from "./questions/bank/bank.ts"
import { bankOn, dayOf } from "./questions/bank/rotation.ts"
import { generateQuestions } from "./questions/generate.ts"
import type { Question } from "./questions/question.ts"
import { randomFromSeed, SEED_BYTES } from "./questions/random.ts"
import {
  contestedRegister,
  decidePass,
  decideRegister,
  judgeRegister,
  type RegisterFacts,
  type RegisterInput,
  type RegisterReply
} from "./register.ts"
import type { Rules } from "./rules.ts"
import { ChallengeEvent, ChallengeState, evolve } from "./state.ts"

type CreateInput = (typeof registrationOperations)["challenge.create"]["input"]["Type"]

const PREFIX_BYTES = 16
const REMEMBERED_SECONDS = 3600
const COUNT_WITHIN_MS = 5_000

/** The purpose that a sealed answer is bound to. */
export const answerPurpose = (challenge: string): string => `answer ${challenge}`

/** Refusals of step 3 that void the challenge. It then counts twice for its clients, their /48 (contract 21) and the key. */
const VOIDED: ReadonlySet<string> = new Set<ErrorCode>(["challenge_wrong_answers", "challenge_expired"])

const fold: Fold<ActorOf<ChallengeState, ChallengeEvent>> = {
  kind: "challenge",
  ends: true,
  state: ChallengeState,
  initial: null,
  events: ChallengeEvent,
  evolve
}

export interface RegistrationParts extends KindParts {
  readonly bank: Bank
}

const rulesOf = ({ config }: KindParts): Rules => ({
  limits: config.limits,
  production: config.env === "production",
  captchaBypass: config.captchaBypass,
  baseUrl: config.baseUrl,
  ownName: config.name
})

export const challengeKind = kind(fold, registrationOperations, (parts: RegistrationParts) => {
  const rules = rulesOf(parts)
  const sealer = new Sealer(parts.seed)
  const { registration } = parts.config.limits

  const prepareCreate = (
    { hub_id, origin }: CreateInput,
    context: PrepareContext
  ): Effect.Effect<CreateFacts, Refusal, Actors> =>
    Effect.gen(function* () {
      const actors = yield* Actors
      const [key, { registrations }] = yield* Effect.all(
        [actors.ask(context, "agent.admit_key", hub_id, null), actors.ask(context, "origin.recent", origin, null)],
        { concurrency: "unbounded" }
      )
      return { prefix: randomBytes(PREFIX_BYTES).toString("hex"), registrations, key: key.state }
    })

  let today: { readonly day: number; readonly bank: Bank } | null = null
  const bankOf = (day: number): Bank => {
    if (today?.day !== day) today = { day, bank: bankOn(parts.bank, day) }
    return today.bank
  }

  /** Questions whose right answers cannot be read in the log: they are sealed, each for its own challenge. */
  const sealedQuestions = (id: string, at: number): ReadonlyArray<Question> =>
    generateQuestions(randomFromSeed(randomBytes(SEED_BYTES)), bankOf(dayOf(at))).map((question) => ({
      ...question,
      answer: sealer.seal(question.answer, answerPurpose(id))
    }))

  const openedQuestions = (state: ChallengeState, id: string): ReadonlyArray<Question> =>
    // Questions that an older release has served are stored as they are.
    (state?.questions ?? []).map((question) => ({
      ...question,
      answer: isSealed(question.answer) ? sealer.open(question.answer, answerPurpose(id)) : question.answer
    }))

  const prepareRegister = (
    state: ChallengeState,
    input: RegisterInput,
    { at, id }: PrepareContext
  ): Effect.Effect<RegisterFacts, Refusal, ActorServices> =>
    Effect.gen(function* () {
      const questions = openedQuestions(state, id)
      if (judgeRegister(state, input, at, rules, questions) !== null) return { number: 0, sealedSecret: "", questions }
      const counters = yield* Counters
      const number = yield* counters.next("agent")
      return { number, sealedSecret: sealer.seal(newWebhookSecret(), secretPurpose(input.hub_id)), questions }
    })

  /**
   * Counts a registration at another actor: it raises the difficulty, or uses up challenges. If the node dies, the
   * count is lost, which does no harm.
   */
  const count = <Name extends "origin.record" | "limit.draw">(
    commandId: string,
    op: Name,
    actor: string,
    input: Operations[Name]["input"]
  ): Effect.Effect<void, never, Actors> =>
    Effect.gen(function* () {
      const actors = yield* Actors
      const deadline = (yield* Clock.currentTimeMillis) + COUNT_WITHIN_MS
      yield* Effect.ignore(actors.ask({ commandId, deadline }, op, actor, input))
    })

  /**
   * Counts how the challenge `id` ended, for the origin that began it and the origin that sent the answers, so that a
   * second address does not spare the first. A passed challenge counts for the origins. A failed one counts a second
   * time for the clients, their /48 and the key, and among the day's failures.
   */
  const counted = (
    id: string,
    answering: Pick<Admission, "origin" | "wide_home">,
    state: ChallengeState,
    refused: Refusal | null
  ): Effect.Effect<void, never, Actors> => {
    const origins = unique([state?.origin, answering.origin])
    const wides = unique([state?.wide_home, answering.wide_home])
    const all = (counts: ReadonlyArray<Effect.Effect<void, never, Actors>>): Effect.Effect<void, never, Actors> =>
      Effect.all(counts, { concurrency: "unbounded", discard: true })
    if (refused === null)
      return all(origins.map((origin) => count(`origin-${id}-${origin}`, "origin.record", origin, null)))
    if (!VOIDED.has(refused.code)) return Effect.void
    const draw = (bucket: CountedBucket, home: string, wide = false): Effect.Effect<void, never, Actors> =>
      count(`failed-${id}-${home}`, "limit.draw", home, { bucket, wanted: 1, ...(wide ? { wide } : {}) })
    return all([
      ...origins.flatMap((origin) => [
        draw("register", homeOf("register", origin)),
        draw("register_failed", homeOf("register_failed", origin))
      ]),
      ...wides.flatMap((home) => [
        draw("register", home, true),
        draw("register_failed", homeIn("register_failed", home), true)
      ]),
      ...(state === null ? [] : [draw("captcha_key", homeOf("captcha_key", state.public_key))])
    ])
  }

  return {
    // Older releases set this timer. It is accepted, and has no effect.
    onTimer: { erase: "challenge.erase" },
    // A late or repeated step still gets the outcome of its challenge. After that time the log deletes it.
    keepSeconds: () => registration.pow_window_seconds + registration.answer_ttl_seconds + REMEMBERED_SECONDS,
    operations: {
      "challenge.create": write({
        prepare: (_state, input, context) => prepareCreate(input, context),
        decide: (state, input, context) => decideCreate(state, input, context, rules),
        answer: (state, _reply, { id }) => challengeRecord(id, existing(state), rules)
      }),
      "challenge.serve": write({
        // Drawing and sealing questions is expensive, so it is done only after the proof of work.
        prepare: (state, input, { at, id }) => {
          const against = judgeServe(state, input, at, rules)
          return against === null
            ? Effect.sync(() => ({ questions: sealedQuestions(id, at) }))
            : Effect.fail(against.refused)
        },
        decide: (state, input, context) => decideServe(state, input, context, rules),
        answer: (state, _reply, { id }) => questionsRecord(id, existing(state), rules)
      }),
      "challenge.register": write({
        prepare: (state, input, context) => prepareRegister(state, input, context),
        decide: (state, input, context) => decideRegister(state, input, context, rules),
        contested: (_state, _input, lost) => contestedRegister(lost),
        answer: (_state, reply) => registeredRecord(reply, sealer, rules),
        projected: true,
        after: (input, { id }, { refused, state }) => counted(id, input, state, refused)
      }),
      "challenge.pass": write({
        prepare: (state, _input, { id }) => Effect.sync(() => ({ questions: openedQuestions(state, id) })),
        decide: (state, input, context) => decidePass(state, input, context, rules),
        answer: () => null,
        after: (input, { id }, { refused, state }) => counted(id, input, state, refused)
      }),
      "challenge.erase": read(() => ({ data: null }))
    }
  }
})

const unique = (hashes: ReadonlyArray<string | null | undefined>): ReadonlyArray<string> => [
  ...new Set(hashes.filter((hash) => typeof hash === "string"))
]

const registeredRecord = (reply: RegisterReply, sealer: Sealer, rules: Rules) => ({
  ...reply.profile,
  webhook_secret: sealer.open(reply.sealedSecret, secretPurpose(reply.profile.id)),
  welcome:
    `Welcome, ${reply.profile.name}. You are ${reply.profile.hx_id}. Keep webhook_secret: it is not shown again. ` +
    `Sign GET ${rules.baseUrl}/api/v1/me to see your profile.`
})
