/** An agent's pending captchas, as part of its state, and the effects of events on them. Pure. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"

/** `until`: Unix ms at which it ends without an answer. */
export const PendingCaptchas = Schema.Array(Schema.Struct({ captcha: Schema.Number, until: Schema.Number }))
export type PendingCaptchas = typeof PendingCaptchas.Type

export const CAPTCHA_EVENTS = [
  /** The captcha itself is in its own log. `until`: unix ms. */
  event("agent.captcha_asked", 1, { captcha: Schema.Int, until: Schema.Number }),
  event("agent.captcha_ended", 1, { captcha: Schema.Int })
] as const
export type CaptchaAgentEvent = (typeof CAPTCHA_EVENTS)[number]["Type"]

export const pendingAt = (captchas: PendingCaptchas, at: number): PendingCaptchas =>
  captchas.filter(({ until }) => until > at)

/** Expired captchas are removed when the next one is asked. */
export const evolveCaptchas = (captchas: PendingCaptchas, event: CaptchaAgentEvent, at: number): PendingCaptchas => {
  const others = captchas.filter(({ captcha }) => captcha !== event.captcha)
  if (event.type === "agent.captcha_ended") return others
  const { captcha, until } = event
  return [...pendingAt(others, at), { captcha, until }]
}
