/** Browsers that a person is told in, as part of the account's state, and how events change it. Pure. */
import { Schema } from "effect"
import { isAsked, isSecurity } from "../../../schemas/relay/events.ts"
import { Sealed } from "../../../schemas/secret/sealed.ts"
import { event } from "../../engine/events.ts"
import { SecurityNews, withSecurity } from "../relay/security.ts"

export const PushState = Schema.Struct({
  /** Sealed under the account's key: the subscription, and how the browser is called. `at`: unix ms. */
  subscriptions: Schema.Array(Schema.Struct({ id: Schema.Int, sealed: Sealed, at: Schema.Number })),
  /** Subscriptions made so far. */
  made: Schema.Int,
  /** Unix ms of the latest news, oldest first. */
  told: Schema.Array(Schema.Number),
  /** The same of security events, which have a limit of their own. */
  told_security: SecurityNews
})
export type PushState = typeof PushState.Type

export const PUSH_EVENTS = [
  event("human.push_subscribed", 1, { id: Schema.Int, sealed: Sealed }),
  event("human.push_ended", 1, { id: Schema.Int }),
  /** The person's browsers were told of an event. */
  event("human.push_told", 1, { agent: Schema.String, event: Schema.String })
] as const
export type PushEvent = (typeof PUSH_EVENTS)[number]["Type"]

export const NO_PUSH: PushState = { subscriptions: [], made: 0, told: [], told_security: [] }

/** More than any limit counts need not be remembered. */
const TOLD_MAX = 200

export const evolvePush = (push: PushState, event: PushEvent, at: number): PushState => {
  switch (event.type) {
    case "human.push_subscribed": {
      const { id, sealed } = event
      return { ...push, made: id, subscriptions: [...push.subscriptions, { id, sealed, at }] }
    }
    case "human.push_ended":
      return { ...push, subscriptions: push.subscriptions.filter(({ id }) => id !== event.id) }
    case "human.push_told":
      if (isAsked(event.event)) return push
      return isSecurity(event.event)
        ? { ...push, told_security: withSecurity(push.told_security, event, at) }
        : { ...push, told: [...push.told, at].slice(-TOLD_MAX) }
  }
}
