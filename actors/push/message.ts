/** The message to a browser: a title, a body and a link. */
import { Schema } from "effect"
import { legible } from "../../schemas/legible.ts"
import { StoredSubscription, type PushSubscription } from "../../schemas/push/operations.ts"
import { relayedEvent } from "../../schemas/relay/events.ts"
import { wish } from "../chat/noun.ts"
import type { LetterContent } from "../kit/letter-content.ts"
import type { News, NewsOf } from "../kit/news.ts"
import { PushMessage } from "./pusher.ts"

/** Push services accept 4,096 bytes, of which encryption takes some. */
const BODY_MAX_CHARS = 400

const shortened = (text: string): string => {
  const points = [...legible(text.toWellFormed()).replaceAll(/\s+/gu, " ").trim()]
  return points.length <= BODY_MAX_CHARS ? points.join("") : `${points.slice(0, BODY_MAX_CHARS).join("")}…`
}

export const pushMessageOf = (news: News, { handle }: NewsOf): Pick<PushMessage, "title" | "body"> => {
  switch (news.type) {
    case "question":
      return { title: `@${handle} asks or tells you something`, body: shortened(news.text) }
    case "captcha":
      return { title: `@${handle} needs you to solve a captcha`, body: shortened(news.context ?? "") }
    case "consent":
      return { title: `@${handle} needs your consent`, body: shortened(`It wants to ${wish(news.asked)}.`) }
    case "owner":
      return {
        title: `Another owner of @${handle}`,
        body: "Another person was confirmed as an owner of your agent. Object if you do not trust them."
      }
    case "event":
      return { title: `News of @${handle}`, body: shortened(relayedEvent(news.event)?.description ?? news.event) }
  }
}

interface SubscribedMessage {
  readonly subscription: number
  readonly to: PushSubscription
  readonly message: PushMessage
}

const Content = Schema.fromJsonString(Schema.Struct({ subscription: Schema.Int, message: PushMessage }))
const To = Schema.fromJsonString(StoredSubscription)
const [encodeContent, decodeContent] = [Schema.encodeSync(Content), Schema.decodeUnknownSync(Content)]
const [encodeTo, decodeTo] = [Schema.encodeSync(To), Schema.decodeUnknownSync(To)]

export const letterOf = ({ subscription, to, message }: SubscribedMessage): LetterContent => ({
  to: encodeTo(to),
  name: "",
  values: { content: encodeContent({ subscription, message }) }
})

/** Throws if the letter is no push message. */
export const pushMessageFrom = ({ to, values }: LetterContent): SubscribedMessage => ({
  to: decodeTo(to),
  ...decodeContent(values["content"])
})

/** The host of the push service. Throws if the letter is no push message. */
export const pushHostOf = ({ to }: LetterContent): string => new URL(decodeTo(to).endpoint).hostname
