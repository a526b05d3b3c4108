/**
 * A captcha. Its id is its number. The agent's actor creates it (actors/agent/captcha/), and this actor owns it
 * afterwards.
 */
import { Effect } from "effect"
import { captchaOperations } from "../../schemas/captcha/operations.ts"
import type { Captcha } from "../../schemas/captcha/records.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { iso } from "../../schemas/iso.ts"
import { blobsAt, naming } from "../blob/noun.ts"
import { custom, type PrepareContext, write } from "../engine/definition.ts"
import { type Fold, kind, type KindParts } from "../kit/kind.ts"
import { Actors, type ActorServices } from "../engine/services.ts"
import {
  decideAnswer,
  decideCancel,
  decideReport,
  decideTimer,
  ERASE_TIMER,
  type Erasing,
  EXPIRE_TIMER,
  isOf,
  noCaptcha
} from "./decide.ts"
import { openAnswer, openDetails, sealAnswer } from "./sealed.ts"
import {
  type CaptchaActor,
  CaptchaEvent,
  CaptchaState,
  type CaptchaState as State,
  type CaptchaValue,
  evolveCaptcha
} from "./state.ts"

const fold: Fold<CaptchaActor> = {
  kind: "captcha",
  state: CaptchaState,
  initial: null,
  events: CaptchaEvent,
  evolve: evolveCaptcha
}

const orNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))

/** The present state. A pending captcha whose time is over counts as expired before its timer fires. */
const standingAt = ({ state, expires_at }: CaptchaValue, at: number) =>
  state === "pending" && at >= expires_at ? "expired" : state

const visibleRecord = (
  { accounts }: Pick<KindParts, "accounts">,
  value: CaptchaValue,
  { id, at }: Pick<PrepareContext, "id" | "at">
): Effect.Effect<{ readonly captcha: Captcha; readonly key: string | null }, Refusal> =>
  Effect.gen(function* () {
    const number = Number(id)
    const { state, kind: of, created_at, expires_at, ended_at, answered_by, answer: sealed } = value
    const told = yield* openDetails(accounts, number, value)
    const isAnswered = answered_by !== null && sealed !== null
    const answer = isAnswered ? yield* openAnswer(accounts, number, answered_by, sealed) : null
    const captcha: Captcha = {
      id: number,
      state: standingAt(value, at),
      kind: of,
      context: told?.context ?? null,
      origin: told?.origin ?? null,
      created_at: iso(created_at),
      expires_at: iso(expires_at),
      answered_at: isAnswered ? orNull(ended_at) : null,
      answer,
      answered_by,
      result: state === "solved" || state === "failed" ? state : null,
      waited: false
    }
    return { captcha, key: value.erased ? null : (told?.key ?? null) }
  })

/**
 * Checks that the captcha was sent to the person, and that the person still owns the agent. Fails with `not_found`
 * otherwise.
 */
const carries = (
  value: State,
  human: string,
  context: PrepareContext
): Effect.Effect<CaptchaValue, Refusal, ActorServices> =>
  Effect.gen(function* () {
    if (value === null || !value.keys.some((key) => key.human === human)) return yield* Effect.fail(noCaptcha.refused)
    const actors = yield* Actors
    yield* Effect.mapError(actors.ask(context, "owner.carries", value.agent, { human }), (refused) =>
      refused.code === "not_found" ? noCaptcha.refused : refused
    )
    return value
  })

export const captchaKind = kind(fold, captchaOperations, (parts) => {
  const { log, accounts, config } = parts
  const { limits, service } = config.limits
  const graceMs = service.blob_grace_seconds * 1000
  // The blob store keeps a blob for `graceMs` after its last reference, so the captcha releases its picture that much
  // earlier.
  const erasing: Erasing = { afterMs: Math.max(0, limits.owner.captcha_image_seconds * 1000 - graceMs) }
  return {
    onTimer: { [EXPIRE_TIMER]: "captcha.timer", [ERASE_TIMER]: "captcha.timer" },
    operations: {
      "captcha.look": custom((state, by, context) =>
        state === null || !isOf(state, by)
          ? Effect.fail(noCaptcha.refused)
          : Effect.map(visibleRecord(parts, state, context), ({ captcha }) => captcha)
      ),
      "captcha.shown": custom((state, { human }, context) =>
        Effect.gen(function* () {
          const value = yield* carries(state, human, context)
          const { captcha, key } = yield* visibleRecord(parts, value, context)
          // An owner sees only an answer of their own.
          const answer = captcha.answered_by === human ? captcha.answer : null
          return { captcha: { ...captcha, answer }, agent: value.agent, picture: value.picture, key }
        })
      ),
      "captcha.answer": write({
        prepare: (state, { human, answer }, context) =>
          Effect.gen(function* () {
            yield* carries(state, human, context)
            return { sealed: yield* sealAnswer(accounts, Number(context.id), human, answer) }
          }),
        decide: (state, input, context) => decideAnswer(state, input, context, erasing),
        answer: () => null,
        projected: true
      }),
      "captcha.cancel": write({
        decide: (state, input, context) => decideCancel(state, input, context, erasing),
        answer: () => null,
        projected: true
      }),
      "captcha.report": write({ decide: decideReport, answer: () => null }),
      "captcha.timer": write({
        prepare: (state, { name }) => blobsAt(log, name === ERASE_TIMER ? [state?.picture.blob] : []),
        decide: (state, fired, context) => {
          const decision = decideTimer(state, fired, context, erasing)
          const isErased = decision.events?.some(({ type }) => type === "captcha.picture_erased") === true
          if (state === null || !isErased) return decision
          const { at, facts: blobs } = context
          return naming(decision, { before: [state.picture.blob], after: [], blobs, at, graceMs })
        },
        answer: () => null
      })
    }
  }
})
