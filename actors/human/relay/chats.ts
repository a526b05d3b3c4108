/** What an owner's chat is told: sealed for it, and sent as letters are. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import { CAPTCHA_ASKED, OWNER_ASKED } from "../../../schemas/relay/events.ts"
import type { Relayed } from "../../../schemas/relay/operations.ts"
import { captchaMessage, type ChatContent, newsMessage, questionMessage, valuesOf } from "../../chat/message.ts"
import type { PrepareContext } from "../../engine/definition.ts"
import { CHAT } from "../../letter/ways.ts"
import { newLetterId, posting, sealLetter } from "../../letter/posting.ts"
import { Actors } from "../../services.ts"
import { openChat } from "../chat/sealed.ts"
import type { Posted } from "../decide.ts"
import type { Opened } from "../opening.ts"
import { ownerPageOf, wordsOf } from "./told.ts"

/** `null` of a captcha that this person may not solve any more. */
const captchaContent = (
  captcha: number,
  of: Parameters<typeof captchaMessage>[2],
  context: PrepareContext
): Effect.Effect<ChatContent | null, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const shown = yield* actors.ask(context, "captcha.shown", String(captcha), { human: context.id })
    return shown.captcha.state === "pending" ? captchaMessage(captcha, shown.captcha, of) : null
  }).pipe(
    Effect.catchIf(
      ({ code }) => code === "not_found",
      () => Effect.succeed(null)
    )
  )

/** `null` where there is nothing to be said. */
export const chatNews = (
  baseUrl: string,
  { human, sealer }: Opened,
  { event, number }: Relayed,
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
          : newsMessage(event, of)
    if (content === null) return null
    const id = newLetterId()
    const to = openChat(sealer, person, linked.sealed)
    const sealed = sealLetter(sealer, id, { to, name: "", values: valuesOf(content) })
    return posting({ id, human: person, template: CHAT, sealed }, at)
  })
