/**
 * Pure decisions on a captcha (spec 3.7; contract 10, 20).
 *
 * Invariants
 *  - It is pending until an owner answers, its agent withdraws it or its time is over. After that it is never pending
 *    again.
 *  - Its agent reports once whether the answer was right.
 *  - Only its agent and that agent's owners can see it. For everybody else it does not exist.
 */
import { invalidField, notFound, type Refusal, refusal, unavailable } from "../../schemas/errors.ts"
import type { CaptchaAnswer, CaptchaKind, CaptchaResult } from "../../schemas/captcha/records.ts"
import type { FiredTimer } from "../../schemas/timer.ts"
import { type Decision, firing, type Timer } from "../engine/definition.ts"
import type { CaptchaEvent, CaptchaState, CaptchaValue } from "./state.ts"

type Decided = Decision<CaptchaEvent>

export const EXPIRE_TIMER = "expire"
export const ERASE_TIMER = "erase"

export const noCaptcha: { readonly refused: Refusal } = { refused: notFound("captcha") }

const NOTHING: Decided = { events: [] }
const TOO_EARLY: Decided = { refused: unavailable("The captcha is not due yet by this node's clock.") }

/**
 * Milliseconds after the end at which the captcha releases its picture. The blob store keeps the picture a little
 * longer.
 */
export interface Erasing {
  readonly afterMs: number
}

/** The refusal for a captcha that is not pending. One whose time is over counts as expired before its timer fires. */
const notPending = ({ state: stands }: CaptchaValue): Decided => {
  const state = stands === "pending" ? "expired" : stands
  return { refused: refusal("captcha_not_pending", `This captcha is ${state}.`, { state }) }
}

const erasing = (at: number, { afterMs }: Erasing): ReadonlyArray<Timer> => [{ name: ERASE_TIMER, at: at + afterMs }]

const TAKES: Readonly<Record<CaptchaKind, (answer: CaptchaAnswer) => boolean>> = {
  text: (answer) => "text" in answer,
  checkbox: (answer) => "checked" in answer,
  taps: (answer) => "taps" in answer && !("checked" in answer)
}

const partiesOf = ({ agent, kind }: CaptchaValue) => ({ agent, kind })

/** True if the agent may see the captcha. `ofFill`: true if a fill service asks, which sees only captchas of fills. */
export const isOf = (
  { agent: own, fill }: CaptchaValue,
  { agent, ofFill }: { readonly agent: string; readonly ofFill: boolean }
): boolean => own === agent && (fill !== null || !ofFill)

const isPending = (state: CaptchaValue, at: number): boolean => state.state === "pending" && at < state.expires_at

/**
 * `sealed`: the answer, sealed under the key of the person's account; `null` if the account does not exist any more.
 */
export const decideAnswer = (
  state: CaptchaState,
  { human, answer }: { readonly human: string; readonly answer: CaptchaAnswer },
  { at, facts: { sealed } }: { readonly at: number; readonly facts: { readonly sealed: string | null } },
  after: Erasing
): Decided => {
  if (state === null || sealed === null || !state.keys.some((key) => key.human === human)) return noCaptcha
  if (!isPending(state, at)) return notPending(state)
  if (!TAKES[state.kind](answer)) return { refused: invalidField("answer", `answer must be one to a ${state.kind}.`) }
  return {
    events: [{ type: "captcha.answered", v: 1, ...partiesOf(state), human, answer: sealed }],
    timers: erasing(at, after)
  }
}

export const decideCancel = (
  state: CaptchaState,
  by: { readonly agent: string; readonly ofFill: boolean },
  { at }: { readonly at: number },
  after: Erasing
): Decided => {
  if (state === null || !isOf(state, by)) return noCaptcha
  if (!isPending(state, at)) return notPending(state)
  return {
    events: [{ type: "captcha.ended", v: 1, ...partiesOf(state), state: "cancelled" }],
    timers: erasing(at, after)
  }
}

export const decideReport = (
  state: CaptchaState,
  { result, ...by }: { readonly agent: string; readonly ofFill: boolean; readonly result: CaptchaResult }
): Decided => {
  if (state === null || !isOf(state, by)) return noCaptcha
  if (state.state === result) return NOTHING
  if (state.state !== "answered")
    return { refused: refusal("captcha_not_answered", `This captcha is ${state.state}.`, { state: state.state }) }
  return { events: [{ type: "captcha.reported", v: 1, result }] }
}

/** Decides when the timer of the captcha or of its picture fires. */
export const decideTimer = (
  state: CaptchaState,
  fired: FiredTimer,
  { at }: { readonly at: number },
  after: Erasing
): Decided => {
  if (state === null) return NOTHING
  if (fired.name === EXPIRE_TIMER) return decideExpire(state, fired, at, after)
  return fired.name === ERASE_TIMER ? decideErase(state, fired, at, after) : NOTHING
}

const decideExpire = (state: CaptchaValue, fired: FiredTimer, at: number, after: Erasing): Decided => {
  if (state.state !== "pending") return NOTHING
  const how = firing(fired, state.expires_at, at)
  if (how === "another") return NOTHING
  if (how === "early") return TOO_EARLY
  return {
    events: [{ type: "captcha.ended", v: 1, ...partiesOf(state), state: "expired" }],
    timers: erasing(at, after)
  }
}

/** The limits may have changed since the timer was set. So the present ones count, and not the timer's own time. */
const decideErase = ({ ended_at, erased }: CaptchaValue, fired: FiredTimer, at: number, after: Erasing): Decided => {
  if (ended_at === null || erased) return NOTHING
  const due = ended_at + after.afterMs
  if (at >= due) return { events: [{ type: "captcha.picture_erased", v: 1 }] }
  // The server would fire a timer again at once that is due by its clock, so this one is put off instead.
  if (firing(fired, due, at) === "early") return TOO_EARLY
  return { events: [], timers: erasing(ended_at, after) }
}
