/** What an owner's chat is told: sealed for it, and sent as letters are. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import { CAPTCHA_ASKED, CONSENT_ASKED, OWNER_ASKED, OWNER_CONFIRMED } from "../../../schemas/relay/events.ts"
import type { Relayed } from "../../../schemas/relay/operations.ts"
import {
  captchaMessage,
  type ChatContent,
  consentMessage,
  newsMessage,
  ownerMessage,
  questionMessage,
  valuesOf
} from "../../chat/message.ts"
import type { PrepareContext } from "../../engine/definition.ts"
import { CHAT } from "../../letter/ways.ts"
import { newLetterId, posting, sealLetter } from "../../letter/posting.ts"
import { Actors } from "../../services.ts"
import { openChat } from "../chat/sealed.ts"
import type { Posted } from "../decide.ts"
import type { Opened } from "../opening.ts"
import { ownerPageOf, wordsOf } from "./told.ts"

const orNothing = <A, R>(content: Effect.Effect<A, Refusal, R>): Effect.Effect<A | null, Refusal, R> =>
  Effect.catchIf(
    content,
    ({ code }) => code === "not_found",
    () => Effect.succeed(null)
  )

/** `null` of a fill that waits for nobody any more. */
const consentContent = (
  agent: string,
  fill: number,
  of: Parameters<typeof consentMessage>[2],
  context: PrepareContext
): Effect.Effect<ChatContent | null, Refusal, Actors> =>
  orNothing(
    Effect.flatMap(Actors, (actors) =>
      Effect.map(actors.ask(context, "vault.asked", agent, { human: context.id, fill }), (asked) =>
        consentMessage(agent, asked, of)
      )
    )
  )

/** `null` of a captcha that this person may not solve any more. */
const captchaContent = (
  captcha: number,
  of: Parameters<typeof captchaMessage>[2],
  context: PrepareContext
): Effect.Effect<ChatContent | null, Refusal, Actors> =>
  orNothing(
    Effect.gen(function* () {
      const actors = yield* Actors
      const shown = yield* actors.ask(context, "captcha.shown", String(captcha), { human: context.id })
      return shown.captcha.state === "pending" ? captchaMessage(captcha, shown.captcha, of) : null
    })
  )

/** `null` where there is nothing to be said. */
export const chatNews = (
  baseUrl: string,
  { human, sealer }: Opened,
  { agent, event, number }: Relayed,
  handle: string,
  context: PrepareContext
): Effect.Effect<Posted | null, Refusal, Actors> =>
  Effect.gen(function* () {
    const { linked } = human.chat
    if (linked === null) return null
    const { id: person, at } = context
    const of = { handle, page: baseUrl + ownerPageOf(event, handle, number) }
    const content =
      event === OWNER_ASKED
        ? questionMessage(number, yield* wordsOf(number, context), of)
        : event === CAPTCHA_ASKED
          ? yield* captchaContent(number, of, context)
          : event === CONSENT_ASKED
            ? yield* consentContent(agent, number, of, context)
            : event === OWNER_CONFIRMED
              ? ownerMessage(of)
              : newsMessage(event, of)
    if (content === null) return null
    const id = newLetterId()
    const to = openChat(sealer, person, linked.sealed)
    const sealed = sealLetter(sealer, id, { to, name: "", values: valuesOf(content) })
    return posting({ id, human: person, template: CHAT, sealed }, at)
  })
