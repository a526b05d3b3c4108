/** An agent's captchas that wait for one of its owners, as part of its state. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"

/** `until`: Unix ms at which it ends without an answer. */
export const fields = { captchas: Schema.Array(Schema.Struct({ captcha: Schema.Number, until: Schema.Number })) }
type Part = PartOf<typeof fields>

export const events = [
  /** The captcha itself is in its own log. `until`: unix ms. */
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
