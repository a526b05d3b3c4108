/**
 * A captcha that an agent asks its owners to solve, and its events (spec 3.7). `null`: it was never created. The
 * context, origin, answer and the picture's key are sealed in it (sealed.ts).
 */
import { Schema } from "effect"
import { BlobRef } from "../../schemas/blob/operations.ts"
import { CaptchaKind, CaptchaResult, CaptchaState as Standing } from "../../schemas/captcha/records.ts"
import { Sealed } from "../../schemas/secret/sealed.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"
import { SealedFields } from "../owner/noun.ts"

/** `agent`: the agent's hub id. */
const parties = { agent: Schema.String, kind: CaptchaKind }

const fields = {
  ...parties,
  picture: Schema.Struct({
    blob: BlobRef,
    width: Schema.Int,
    height: Schema.Int,
    type: Schema.Literals(["png", "jpeg"])
  }),
  ...SealedFields,
  /** Unix ms. */
  expires_at: Schema.Number
}

/** The number of the fill of the agent's vault that waits for this captcha, if there is one. */
const fill = Schema.NullOr(Schema.Int)

export const CaptchaValue = Schema.Struct({
  ...fields,
  fill,
  state: Standing,
  created_at: Schema.Number,
  /** Unix ms at which the captcha stopped being pending. */
  ended_at: Schema.NullOr(Schema.Number),
  answered_by: Schema.NullOr(Schema.String),
  /** The answer, sealed under the key of the account that gave it. */
  answer: Schema.NullOr(Sealed),
  erased: Schema.Boolean
})
export type CaptchaValue = typeof CaptchaValue.Type

export const CaptchaState = Schema.NullOr(CaptchaValue)
export type CaptchaState = typeof CaptchaState.Type

export const CaptchaEvent = Schema.Union([
  /** `fill` is absent in events of releases without vaults. */
  event("captcha.asked", 1, { ...fields, fill: Schema.optionalKey(fill) }),
  event("captcha.answered", 1, { ...parties, human: Schema.String, answer: Sealed }),
  event("captcha.ended", 1, { ...parties, state: Schema.Literals(["cancelled", "expired"]) }),
  event("captcha.reported", 1, { result: CaptchaResult }),
  event("captcha.picture_erased", 1)
])
export type CaptchaEvent = typeof CaptchaEvent.Type

export type CaptchaActor = ActorOf<CaptchaState, CaptchaEvent>

export const evolveCaptcha = (
  state: CaptchaState,
  event: CaptchaEvent,
  { at }: { readonly at: number }
): CaptchaState => {
  if (event.type === "captcha.asked") {
    const { agent, kind, picture, sealed, keys, expires_at, fill = null } = event
    const asked = { agent, kind, picture, sealed, keys, expires_at, fill, created_at: at, state: "pending" } as const
    return { ...asked, ended_at: null, answered_by: null, answer: null, erased: false }
  }
  if (state === null) return null
  switch (event.type) {
    case "captcha.answered":
      return { ...state, state: "answered", ended_at: at, answered_by: event.human, answer: event.answer }
    case "captcha.ended":
      return { ...state, state: event.state, ended_at: at }
    case "captcha.reported":
      return { ...state, state: event.result }
    case "captcha.picture_erased":
      return { ...state, erased: true }
  }
}
