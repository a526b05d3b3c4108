/**
 * Builds chat messages. They are plain text, so that words of strangers can have no effect.
 *
 * Invariant: the first line contains no text of strangers except a handle. It tells which question an answer refers to
 * (answers.ts), whatever an agent writes below.
 */
import { Schema } from "effect"
import { CaptchaKind } from "../../schemas/captcha/records.ts"
import type { ConsentAsked } from "../../schemas/vault/records.ts"
import type { News, NewsOf } from "../kit/news.ts"
import { legible } from "../../schemas/legible.ts"
import { relayedEvent } from "../../schemas/relay/events.ts"

/** Telegram's limits of a text and of a caption in UTF-16 units, less the room for our own words. */
const TEXT_MAX = 3500
const CAPTION_MAX = 700

export const ChatButton = Schema.Struct({ label: Schema.String, data: Schema.String })
export type ChatButton = typeof ChatButton.Type

export const ChatContent = Schema.Struct({
  text: Schema.String,
  buttons: Schema.Array(ChatButton),
  /** The number of the captcha whose picture is attached. */
  captcha: Schema.NullOr(Schema.Int)
})
export type ChatContent = typeof ChatContent.Type

const encode = Schema.encodeSync(Schema.fromJsonString(ChatContent))
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ChatContent))

export const valuesOf = (content: ChatContent): Readonly<Record<string, string>> => ({ content: encode(content) })
/** Throws if the values contain no message. */
export const contentOf = (values: Readonly<Record<string, string>>): ChatContent => decode(values["content"])

const shortened = (text: string, max: number, rest: string): string => {
  const plain = legible(text.toWellFormed()).trim()
  return plain.length <= max ? plain : `${plain.slice(0, max).toWellFormed()} …\n\nAll of it: ${rest}`
}

type Only<Type extends News["type"]> = Extract<News, { readonly type: Type }>

const questionMessage = ({ number, text, options }: Only<"question">, { handle, page }: NewsOf): ChatContent => ({
  text: `Message ${number} from ${handle}\n\n${shortened(text, TEXT_MAX, page)}\n\nReply to this message to answer.`,
  buttons: options.map((label, at) => ({ label, data: `m:${number}:${at}` })),
  captcha: null
})

const HOW: Readonly<Record<CaptchaKind, (page: string) => string>> = {
  text: () => "Reply to this picture with what you read.",
  checkbox: () => "Press the button once you have looked at it.",
  taps: (page) => `It has to be tapped: ${page}`
}

const captchaMessage = ({ number, kind, context }: Only<"captcha">, { handle, page }: NewsOf): ChatContent => ({
  text: `Captcha ${number} of ${handle}\n\n${context === null ? "" : `${shortened(context, CAPTION_MAX, page)}\n\n`}${HOW[kind](page)}`,
  buttons: kind === "checkbox" ? [{ label: "I am human", data: `c:${number}` }] : [],
  captcha: number
})

const DOES: Readonly<Record<ConsentAsked["action"], string>> = {
  login: "log in",
  signup: "sign up",
  pay: "pay",
  secret: "enter a secret"
}

/** Describes the act for which a fill needs consent. */
export const wish = ({ action, origin, amount, currency }: ConsentAsked): string => {
  const sum = amount === null || currency === null ? "" : ` ${amount} ${currency}`
  return `${DOES[action]}${sum} at ${origin}`
}

/** The data of a button for a fill: the vault, the fill, and `a` to allow or `d` to decline it. */
const consentButton = (agent: string, fill: number, act: "a" | "d"): string => `v:${agent}:${fill}:${act}`

const consentMessage = ({ agent, asked }: Only<"consent">, { handle, page }: NewsOf): ChatContent => {
  const { fill_id, label } = asked
  const what = label === null ? "" : `\nWith: ${shortened(label, CAPTION_MAX, page)}`
  return {
    text: `Fill ${fill_id} of ${handle}\n\nIt wants to ${wish(asked)}.${what}\n\nAllow it?`,
    buttons: [
      { label: "Allow", data: consentButton(agent, fill_id, "a") },
      { label: "Decline", data: consentButton(agent, fill_id, "d") }
    ],
    captcha: null
  }
}

/** The message leaves out the new owner's name, because it is a stranger's text. The page shows it. */
const ownerMessage = ({ handle, page }: NewsOf): ChatContent => ({
  text: `News of ${handle}\n\nAnother person was confirmed as an owner of your agent ${handle}. See who it is, and object if you do not trust them:\n${page}`,
  buttons: [],
  captcha: null
})

const eventMessage = ({ event }: Only<"event">, { handle, page }: NewsOf): ChatContent => ({
  text: `News of ${handle}\n\n${relayedEvent(event)?.description ?? event}\n${page}`,
  buttons: [],
  captcha: null
})

export const chatMessageOf = (news: News, of: NewsOf): ChatContent => {
  switch (news.type) {
    case "question":
      return questionMessage(news, of)
    case "captcha":
      return captchaMessage(news, of)
    case "consent":
      return consentMessage(news, of)
    case "owner":
      return ownerMessage(of)
    case "event":
      return eventMessage(news, of)
  }
}
