/** Captchas that an agent meets and its owner solves (spec 2.12, 3.7; contract 10, 20). */
import { Schema } from "effect"
import { CAPTCHA_LIMITS } from "./limits.ts"

export const CAPTCHA_KINDS = ["text", "checkbox", "taps"] as const
export const CaptchaKind = Schema.Literals(CAPTCHA_KINDS)
export type CaptchaKind = typeof CaptchaKind.Type

const CAPTCHA_STATES = ["pending", "answered", "cancelled", "expired", "solved", "failed"] as const
export const CaptchaState = Schema.Literals(CAPTCHA_STATES)
export type CaptchaState = typeof CaptchaState.Type

export const CaptchaResult = Schema.Literals(["solved", "failed"])
export type CaptchaResult = typeof CaptchaResult.Type

const Part = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** Parts of the picture's width and height, from its upper left corner. */
export const Tap = Schema.Struct({ x: Part, y: Part })
export type Tap = typeof Tap.Type

const taps = (max: number) =>
  Schema.Array(Tap).check(Schema.isMinLength(1), Schema.isMaxLength(max, { message: `must be at most ${max} taps` }))

const { captcha_text_max_chars, captcha_taps_max } = CAPTCHA_LIMITS

/** The form of the answer depends on the kind of captcha. */
export const CaptchaAnswer = Schema.Union([
  Schema.Struct({ text: Schema.String.check(Schema.isBetweenCodePoints(1, captcha_text_max_chars)) }),
  Schema.Struct({ checked: Schema.Literal(true), taps: Schema.optionalKey(taps(1)) }),
  Schema.Struct({ taps: taps(captcha_taps_max) })
])
export type CaptchaAnswer = typeof CaptchaAnswer.Type

export const Captcha = Schema.Struct({
  id: Schema.Int,
  state: CaptchaState,
  kind: CaptchaKind,
  /** `null` if the agent gave none, or if none of the people for whom it was sealed has an account any more. */
  context: Schema.NullOr(Schema.String),
  origin: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  expires_at: Schema.String,
  answered_at: Schema.NullOr(Schema.String),
  /** `null` if there is no answer, or if the account of the person who answered was deleted. */
  answer: Schema.NullOr(CaptchaAnswer),
  /** The person's id, `hum_…`. */
  answered_by: Schema.NullOr(Schema.String),
  result: Schema.NullOr(CaptchaResult),
  /** True if this response was held for an owner's answer. */
  waited: Schema.Boolean
}).annotate({ identifier: "Captcha" })
export type Captcha = typeof Captcha.Type
