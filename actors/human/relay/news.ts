/** News for an owner's chat and browsers. They are sealed for the owner, and sent like letters. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import {
  CAPTCHA_ASKED,
  CONSENT_ASKED,
  isAsked,
  isSecurity,
  OWNER_ASKED,
  OWNER_CONFIRMED
} from "../../../schemas/relay/events.ts"
import type { Relayed } from "../../../schemas/relay/operations.ts"
import { chatMessageOf, valuesOf } from "../../chat/noun.ts"
import type { PrepareContext } from "../../engine/definition.ts"
import { newLetterId, posting, sealLetter, CHAT, PUSH } from "../../letter/noun.ts"
import { letterOf, pushMessageOf } from "../../push/noun.ts"
import type { News, NewsOf } from "../../kit/news.ts"
import { Actors } from "../../engine/services.ts"
import { openChat } from "../chat/sealed.ts"
import type { Posted } from "../decide.ts"
import type { OpenedAccount } from "../opening.ts"
import { openSubscription } from "../push/sealed.ts"
import { ownerPageOf, wordsOf } from "./facts.ts"

const orNothing = <A, R>(content: Effect.Effect<A, Refusal, R>): Effect.Effect<A | null, Refusal, R> =>
  Effect.catchIf(
    content,
    ({ code }) => code === "not_found",
    () => Effect.succeed(null)
  )

/** `null` if this person cannot allow the fill any more. */
const consentNews = (
  agent: string,
  fill: number,
  context: PrepareContext
): Effect.Effect<News | null, Refusal, Actors> =>
  orNothing(
    Effect.flatMap(Actors, (actors) =>
      Effect.map(actors.ask(context, "vault.asked", agent, { human: context.id, fill }), (asked): News => ({
        type: "consent",
        agent,
        asked
      }))
    )
  )

/** `null` if this person cannot solve the captcha any more. */
const captchaNews = (number: number, context: PrepareContext): Effect.Effect<News | null, Refusal, Actors> =>
  orNothing(
    Effect.gen(function* () {
      const actors = yield* Actors
      const shown = yield* actors.ask(context, "captcha.shown", String(number), { human: context.id })
      const { state, kind, context: said } = shown.captcha
      return state === "pending" ? ({ type: "captcha", number, kind, context: said } as const) : null
    })
  )

/** `null` if there is nothing to report. */
export const newsOf = (
  { agent, event, number }: Relayed,
  context: PrepareContext
): Effect.Effect<News | null, Refusal, Actors> => {
  switch (event) {
    case OWNER_ASKED:
      return Effect.map(wordsOf(number, context), (words) => ({ type: "question", number, ...words }))
    case CAPTCHA_ASKED:
      return captchaNews(number, context)
    case CONSENT_ASKED:
      return consentNews(agent, number, context)
    case OWNER_CONFIRMED:
      return Effect.succeed({ type: "owner" })
    default:
      return Effect.succeed({ type: "event", event })
  }
}

export const placeOf = (baseUrl: string, { event, number }: Relayed, handle: string): NewsOf => ({
  handle,
  page: baseUrl + ownerPageOf(event, handle, number)
})

/** `null` if no chat is linked. */
export const chatNews = (
  { human, sealer }: OpenedAccount,
  news: News,
  of: NewsOf,
  { id: person, at }: Pick<PrepareContext, "id" | "at">
): Posted | null => {
  const { linked } = human.chat
  if (linked === null) return null
  const id = newLetterId()
  const to = openChat(sealer, person, linked.sealed)
  const sealed = sealLetter(sealer, id, { to, name: "", values: valuesOf(chatMessageOf(news, of)) })
  return posting({ id, human: person, template: CHAT, sealed }, at)
}

/** One message for each browser that subscribed with this key. */
export const pushNews = (
  { human, sealer }: OpenedAccount,
  news: News,
  of: NewsOf,
  { event, number, key: own }: Relayed & { readonly key: string },
  { id: person, at }: Pick<PrepareContext, "id" | "at">
): ReadonlyArray<Posted> => {
  const urgency = isAsked(event) || isSecurity(event) ? "high" : "normal"
  const message = { ...pushMessageOf(news, of), url: of.page, tag: `${event} ${of.handle} ${number}`, urgency } as const
  return human.push.subscriptions.flatMap(({ id: subscription, sealed: kept }) => {
    const id = newLetterId()
    const { subscription: to, key } = openSubscription(sealer, person, kept)
    if (key !== own) return []
    const sealed = sealLetter(sealer, id, letterOf({ subscription, to, message }))
    return [posting({ id, human: person, template: PUSH, sealed }, at)]
  })
}
