/**
 * Handles people's messages in their chats. People link a chat, answer agents by a reply or a button, and unlink the
 * chat.
 *
 * Invariants
 *  - Only private chats of one person are handled, and only a chat that is linked to an account may answer.
 *  - The first line of the bot's own message, or the button that the bot made, names the question. The actor of the
 *    agent or of the captcha decides whether this person may answer it.
 *  - Each update is a command with its own id, so an update that is received twice counts once.
 *  - Answers from a chat have the same rules as answers on a page.
 */
import { Clock, Effect, Result, Schema } from "effect"
import type { CallbackQuery, Message, Update } from "grammy/types"
import type { CaptchaAnswer } from "../../schemas/captcha/records.ts"
import { CaptchaAnswer as AnswerOfCaptcha } from "../../schemas/captcha/records.ts"
import { notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import { HUMAN_PREFIX, LINK_TOKEN } from "../../schemas/human/fields.ts"
import { homeOf } from "../../schemas/limit/home.ts"
import { OwnerText } from "../../schemas/owner/api.ts"
import { NOBODY, ownerSecretIn } from "../../schemas/secret/owner.ts"
import { hashOfToken } from "../kit/tokens.ts"
import { Actors, type Asking } from "../engine/services.ts"
import type { Bot } from "./bot.ts"
import type { Notices } from "./notices.ts"
import { botTexts } from "./words.ts"

const BUCKET = "human_write"
const HANDLED_WITHIN_MS = 10_000

const ANSWERED = /^(Message|Captcha) ([1-9]\d{0,14}) (?:from|of) /
const BUTTON = /^(m|c):([1-9]\d{0,14})(?::(\d))?$/
const CONSENT = /^v:(hx[0-9a-f]{24}):([1-9]\d{0,14}):(a|d)$/

/** Refusals after which the buttons of a message are removed, because there is nothing left to decide. */
const OVER: ReadonlySet<string> = new Set(["not_found", "captcha_not_pending"])

const notOpen = notFound("message")

export interface Listening {
  readonly bot: Bot
  /** Keyed hash of a chat's number. */
  readonly hashOf: (chat: string) => string
}

export interface Hearing extends Listening {
  readonly notices: Notices
}

/** An answer of the bot. A hint is not repeated within a short time, because strangers and floods cause it. */
interface Said {
  readonly text: string
  readonly isHint: boolean
}

const hint = (text: string): Said => ({ text, isHint: true })
const answer = (text: string): Said => ({ text, isHint: false })

type Heard<A = void> = Effect.Effect<A, Refusal, Actors>

const asking = ({ update_id }: Update, now: number): Asking => ({
  commandId: `chat-${update_id}`,
  deadline: now + HANDLED_WITHIN_MS
})

/** The person who linked a chat; fails with `not_found`. */
const personOf = ({ hashOf }: Listening, chat: number, of: Asking): Heard<string> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const hash = hashOf(String(chat))
    const { human } = yield* actors.ask(of, "chat.look", hash, null)
    if (human === null) return yield* Effect.fail(notOpen)
    yield* actors.ask(of, "human.in_chat", human, { chat: hash })
    return human
  })

/** Draws on the budget that messages on the pages use. */
const drawn = (human: string, of: Asking): Heard =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const { granted } = yield* actors.ask(of, "limit.draw", homeOf(BUCKET, human), {
      bucket: BUCKET,
      wanted: 1
    })
    if (granted === 0) return yield* Effect.fail(refusal("rate_limited", "Too many answers at once. Wait a minute."))
  })

const decodeText = Schema.decodeUnknownResult(OwnerText)
const decodeAnswer = Schema.decodeUnknownResult(AnswerOfCaptcha)

const invalid = (message: string): Refusal => refusal("validation_error", message)

const answerAgent = (human: string, message: number, words: string, of: Asking): Heard =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const text = decodeText(words.replaceAll("\r\n", "\n").trim())
    if (Result.isFailure(text)) return yield* Effect.fail(invalid("An answer has 1 to 4000 characters."))
    const secret = ownerSecretIn([{ field: "text", text: text.success }], NOBODY)
    if (secret !== null) return yield* Effect.fail(secret)
    const { agent } = yield* actors.ask(of, "owner_message.look", String(message), null)
    yield* drawn(human, of)
    yield* actors.ask(of, "owner.answer", agent, { human, message, text: text.success })
  })

const answerCaptcha = (human: string, captcha: number, given: CaptchaAnswer, of: Asking): Heard =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const answer = decodeAnswer(given)
    if (Result.isFailure(answer)) return yield* Effect.fail(invalid("The answer has 1 to 200 characters."))
    yield* drawn(human, of)
    yield* actors.ask(of, "captcha.answer", String(captcha), { human, answer: answer.success })
  })

/** Links a chat to an account. The code names the account, and the account checks the code. */
const linked = (chat: number, code: string, of: Asking): Heard =>
  Effect.gen(function* () {
    const [, owner] = LINK_TOKEN.exec(code) ?? []
    if (owner === undefined) return yield* Effect.fail(refusal("token_invalid", "This is no code of ours."))
    const actors = yield* Actors
    const input = { code: hashOfToken(code), chat: String(chat) }
    yield* actors.ask(of, "human.link_chat", `${HUMAN_PREFIX}${owner}`, input)
  })

const unlinked = (listening: Listening, chat: number, of: Asking): Heard =>
  Effect.gen(function* () {
    const human = yield* personOf(listening, chat, of)
    const actors = yield* Actors
    yield* actors.ask(of, "human.unlink_chat", human, { chat: listening.hashOf(String(chat)) })
  })

/** The question that a message answers, if it replies to one of the bot's messages. */
const answeredBy = (bot: number, { reply_to_message: to }: Message): readonly [string, number] | null => {
  if (to === undefined || to.from?.id !== bot) return null
  const [, kind, number] = ANSWERED.exec(to.text ?? to.caption ?? "") ?? []
  return kind === undefined ? null : [kind, Number(number)]
}

/** Passes a person's answer on. Fails with `not_found` if the chat is not linked. */
const replied = (listening: Listening, bot: number, message: Message, of: Asking): Heard<Said> =>
  Effect.gen(function* () {
    const chat = message.chat.id
    const human = yield* personOf(listening, chat, of)
    const to = answeredBy(bot, message)
    if (to === null || message.text === undefined) return hint(botTexts.howToAnswer)
    const [kind, number] = to
    const passed =
      kind === "Message"
        ? answerAgent(human, number, message.text, of)
        : answerCaptcha(human, number, { text: message.text.trim() }, of)
    return yield* orSaid(Effect.as(passed, answer(botTexts.answered)), ({ code }) => code === "rate_limited")
  })

/**
 * Handles a message, and answers it. The answer also reports a final refusal. Hints are not repeated within a short
 * time.
 */
const heardMessage = (listening: Hearing, bot: number, message: Message, of: Asking): Heard => {
  const { id: chat, type } = message.chat
  if (type !== "private") return Effect.void
  const [word = "", code = ""] = (message.text ?? "").trim().split(/\s+/, 2)
  // An app may add the bot's name: `/start@name`.
  const [command] = word.split("@", 1)
  const done: Heard<Said> =
    command === "/start"
      ? code === ""
        ? Effect.succeed(hint(botTexts.welcome))
        : Effect.as(linked(chat, code, of), answer(botTexts.linked))
      : command === "/stop"
        ? Effect.as(unlinked(listening, chat, of), answer(botTexts.unlinked))
        : replied(listening, bot, message, of)
  return Effect.flatMap(
    orSaid(done, () => true),
    ({ text, isHint }) => (isHint && !listening.notices.due(chat, text) ? Effect.void : listening.bot.say(chat, text))
  )
}

/**
 * Handles a button that allows or declines a fill; `null` for other buttons. The vault checks that the person owns the
 * agent.
 */
const consented = (human: string, data: string, of: Asking): Heard<string | null> =>
  Effect.gen(function* () {
    const [, agent, fill, act] = CONSENT.exec(data) ?? []
    if (agent === undefined) return null
    const actors = yield* Actors
    yield* drawn(human, of)
    const allow = act === "a"
    yield* actors.ask(of, "vault.consent", agent, { human, fill: Number(fill), allow })
    return allow ? botTexts.allowed : botTexts.declined
  })

const pressed = (listening: Listening, query: CallbackQuery, of: Asking): Heard<string> =>
  Effect.gen(function* () {
    const chat = query.message?.chat
    if (chat?.type !== "private") return botTexts.refused(notOpen)
    const human = yield* personOf(listening, chat.id, of)
    const consent = yield* consented(human, query.data ?? "", of)
    if (consent !== null) return consent
    const [, kind, number, option] = BUTTON.exec(query.data ?? "") ?? []
    if (kind === undefined) return botTexts.refused(notOpen)
    if (kind === "c") {
      yield* answerCaptcha(human, Number(number), { checked: true }, of)
      return botTexts.answered
    }
    const actors = yield* Actors
    const { options } = yield* actors.ask(of, "owner_message.words", String(number), null)
    const words = options?.[Number(option)]
    if (words === undefined) return botTexts.refused(notOpen)
    yield* answerAgent(human, Number(number), words, of)
    return botTexts.chosen(words)
  })

const heardButton = (listening: Listening, query: CallbackQuery, of: Asking): Heard =>
  Effect.gen(function* () {
    const outcome = yield* Effect.result(pressed(listening, query, of))
    if (Result.isFailure(outcome) && !botTexts.isFinal(outcome.failure)) return yield* Effect.fail(outcome.failure)
    yield* listening.bot.pressed(
      query.id,
      Result.isSuccess(outcome) ? outcome.success : botTexts.refused(outcome.failure)
    )
    const { message } = query
    // After another final refusal, the buttons stay and the person can press one again.
    const isSettled = Result.isSuccess(outcome) || OVER.has(outcome.failure.code)
    if (message !== undefined && isSettled) yield* listening.bot.settled(message.chat.id, message.message_id)
  })

/** Turns a final refusal into a response. Fails with all others, so that the update is tried again. */
const orSaid = (done: Heard<Said>, isHint: (refused: Refusal) => boolean): Heard<Said> =>
  Effect.catch(done, (refused) =>
    botTexts.isFinal(refused)
      ? Effect.succeed({ text: botTexts.refused(refused), isHint: isHint(refused) })
      : Effect.fail(refused)
  )

/** Fails if the update must be handled again. `bot`: the bot's number. */
export const handleUpdate = (listening: Hearing, bot: number, update: Update): Heard =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => heardBy(listening, bot, update, asking(update, now)))

const heardBy = (listening: Hearing, bot: number, update: Update, of: Asking): Heard => {
  if (update.message !== undefined) return heardMessage(listening, bot, update.message, of)
  if (update.callback_query !== undefined) return heardButton(listening, update.callback_query, of)
  const member = update.my_chat_member
  if (member?.chat.type !== "private" || member.new_chat_member.status !== "kicked") return Effect.void
  return Effect.catch(unlinked(listening, member.chat.id, of), (refused) =>
    botTexts.isFinal(refused) ? Effect.void : Effect.fail(refused)
  )
}
