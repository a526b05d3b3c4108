/** The captchas of an agent that wait for an answer by an owner, as part of its state. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"

/** `until`: the time at which the captcha expires, in Unix ms. */
export const fields = { captchas: Schema.Array(Schema.Struct({ captcha: Schema.Number, until: Schema.Number })) }
type Part = PartOf<typeof fields>

export const events = [
  /** The captcha's content is in the log of its own actor. `until`: the time at which it expires, in Unix ms. */
  event("agent.captcha_asked", 1, { captcha: Schema.Int, until: Schema.Number }),
  event("agent.captcha_ended", 1, { captcha: Schema.Int })
] as const
type Event = (typeof events)[number]["Type"]

export const empty: Part = { captchas: [] }

export const pendingAt = ({ captchas }: Part, at: number): Part["captchas"] =>
  captchas.filter(({ until }) => until > at)

const without = ({ captchas }: Part, { captcha }: Event): Part => ({
  captchas: captchas.filter((one) => one.captcha !== captcha)
})

export const evolve: Cases<Part, Event> = {
  /** Expired captchas are removed when the next one is asked. */
  "agent.captcha_asked": (part, event, at) => ({
    captchas: [...pendingAt(without(part, event), at), { captcha: event.captcha, until: event.until }]
  }),
  "agent.captcha_ended": without
}
