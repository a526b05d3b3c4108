/** The chat of a person, as part of the account's state, and how events change it. Pure. */
import { Schema } from "effect"
import { isSecurity, OWNER_CONFIRMED } from "../../../schemas/relay/events.ts"
import { Sealed } from "../../../schemas/secret/sealed.ts"
import { event } from "../../engine/events.ts"
import { News, withNews } from "../relay/room.ts"

export const ChatState = Schema.Struct({
  /** `chat`: the keyed hash of the chat's number. The number itself is sealed under the account's key. */
  linked: Schema.NullOr(Schema.Struct({ chat: Schema.String, sealed: Sealed })),
  /** The sha256 of the code that the settings showed last, in hex, and its end in Unix ms. */
  offered: Schema.NullOr(Schema.Struct({ code: Schema.String, expires_at: Schema.Number })),
  /** The latest news that were sent to the chat, except security events and requests. */
  told: News,
  /**
   * The latest security events, which have their own limit. New owners do not count, because each of them is reported.
   */
  told_security: Schema.optionalKey(News),
  /** The latest requests by agents. */
  told_asked: Schema.optionalKey(News)
})
export type ChatState = typeof ChatState.Type

export const CHAT_EVENTS = [
  event("human.chat_offered", 1, { code: Schema.String, expires_at: Schema.Number }),
  event("human.chat_linked", 1, { chat: Schema.String, sealed: Sealed }),
  event("human.chat_unlinked", 1),
  event("human.chat_told", 1, { agent: Schema.String, event: Schema.String }),
  /** A request of an agent was sent to the chat. */
  event("human.chat_asked", 1, { agent: Schema.String, event: Schema.String })
] as const
export type ChatEvent = (typeof CHAT_EVENTS)[number]["Type"]

export const NO_CHAT: ChatState = { linked: null, offered: null, told: [] }

export const evolveChat = (chat: ChatState, event: ChatEvent, at: number): ChatState => {
  switch (event.type) {
    case "human.chat_offered":
      return { ...chat, offered: { code: event.code, expires_at: event.expires_at } }
    case "human.chat_linked":
      return { ...chat, offered: null, linked: { chat: event.chat, sealed: event.sealed } }
    case "human.chat_unlinked":
      return { ...chat, offered: null, linked: null }
    case "human.chat_asked":
      return { ...chat, told_asked: withNews(chat.told_asked ?? [], event, at) }
    case "human.chat_told":
      if (event.event === OWNER_CONFIRMED) return chat
      return isSecurity(event.event)
        ? { ...chat, told_security: withNews(chat.told_security ?? [], event, at) }
        : { ...chat, told: withNews(chat.told, event, at) }
  }
}
