/**
 * The browsers that a person gets push messages in, as part of the account's state, and the effects of events on them.
 * Pure.
 */
import { Schema } from "effect"
import { isAsked, isSecurity, OWNER_CONFIRMED } from "../../../schemas/relay/events.ts"
import { Sealed } from "../../../schemas/secret/sealed.ts"
import { event } from "../../engine/events.ts"
import { News, withNews } from "../relay/room.ts"

export const PushState = Schema.Struct({
  /** The subscription and the browser's name, sealed under the account's key. `at`: Unix ms. */
  subscriptions: Schema.Array(Schema.Struct({ id: Schema.Int, sealed: Sealed, at: Schema.Number })),
  /** The number of subscriptions so far, from which their ids follow. */
  made: Schema.Int,
  /** The latest news that were sent, except security events and requests. */
  told: News,
  /**
   * The latest security events, which have their own limit. New owners do not count, because each of them is reported.
   */
  told_security: News,
  /** The latest requests by agents. */
  told_asked: Schema.optionalKey(News)
})
export type PushState = typeof PushState.Type

export const PUSH_EVENTS = [
  event("human.push_subscribed", 1, { id: Schema.Int, sealed: Sealed }),
  event("human.push_ended", 1, { id: Schema.Int }),
  event("human.push_told", 1, { agent: Schema.String, event: Schema.String })
] as const
export type PushEvent = (typeof PUSH_EVENTS)[number]["Type"]

export const NO_PUSH: PushState = { subscriptions: [], made: 0, told: [], told_security: [] }

export const evolvePush = (push: PushState, event: PushEvent, at: number): PushState => {
  switch (event.type) {
    case "human.push_subscribed": {
      const { id, sealed } = event
      return { ...push, made: id, subscriptions: [...push.subscriptions, { id, sealed, at }] }
    }
    case "human.push_ended":
      return { ...push, subscriptions: push.subscriptions.filter(({ id }) => id !== event.id) }
    case "human.push_told":
      if (event.event === OWNER_CONFIRMED) return push
      if (isAsked(event.event)) return { ...push, told_asked: withNews(push.told_asked ?? [], event, at) }
      return isSecurity(event.event)
        ? { ...push, told_security: withNews(push.told_security, event, at) }
        : { ...push, told: withNews(push.told, event, at) }
  }
}
