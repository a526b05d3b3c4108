/**
 * The service's chat bot: a client of Telegram's Bot API.
 *
 * Invariants
 *  - The result of an attempt is an outcome in our own words. Texts of Telegram are not passed on: they may contain
 *    anything, even the token, which is in every URL.
 *  - An attempt that is interrupted closes its connection.
 *  - If it is not known whether Telegram took an attempt, its outcome is reported as unknown.
 */
import { Clock, Duration, Effect } from "effect"
import { Api, GrammyError, HttpError, InputFile } from "grammy"
import type { Update, UserFromGetMe } from "grammy/types"
import type { ChatSettings } from "../../schemas/chat/settings.ts"
import type { LetterOutcome } from "../../schemas/letter/operations.ts"
import type { ChatButton } from "./message.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"

export interface Picture {
  readonly bytes: Uint8Array
  readonly type: "png" | "jpeg"
}

export interface ChatMessage {
  readonly to: string
  readonly text: string
  readonly buttons: ReadonlyArray<ChatButton>
  readonly picture: Picture | null
}

type Signal = NonNullable<Parameters<Api["sendMessage"]>[3]>

/** The reason of a refusal after which the chat is unlinked from its account. */
export const CHAT_GONE = "the chat is closed to us"

export type Polled =
  | { readonly type: "updates"; readonly updates: ReadonlyArray<Update> }
  /** `wait`: the seconds that Telegram asks the bot to wait; `null` if it names none. */
  | { readonly type: "failed"; readonly reason: string; readonly wait: number | null }

const SEND_SECONDS = 20
/** Telegram holds a poll for `HELD_SECONDS`. The bot waits longer, for `POLL_SECONDS`. */
const HELD_SECONDS = 25
const POLL_SECONDS = 40
/** The most updates that Telegram returns for one poll. */
export const UPDATES_MAX = 100
const KNOWN_FOR = Duration.hours(1)
const NAME_WITHIN_MS = 3000

const FORBIDDEN = 403
const BAD_REQUEST = 400
const GONE = /chat not found|user is deactivated|bot was blocked|bot can't initiate/i
/** Errors of a connection that was never made. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH"
])

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : null

const outcomeOf = (error: unknown): LetterOutcome => {
  if (error instanceof GrammyError) {
    const { error_code: code, description } = error
    if (code === FORBIDDEN || (code === BAD_REQUEST && GONE.test(description)))
      return { type: "final", reason: CHAT_GONE }
    if (code === BAD_REQUEST) return { type: "final", reason: "the chat's server refuses the message" }
    const { retry_after } = error.parameters
    const reason = `the chat's server says ${code}`
    return { type: "passing", reason, ...(retry_after === undefined ? {} : { retry_after }) }
  }
  if (error instanceof HttpError && NOT_SENT.has(codeOf(error.error)))
    return { type: "passing", reason: "the chat's server is not reached" }
  return { type: "unknown", reason: "the chat's server did not answer" }
}

export class Bot {
  private readonly sending: Api
  private readonly polling: Api
  private known: { readonly me: UserFromGetMe; readonly until: number } | null = null

  constructor({ token, url }: ChatSettings) {
    this.sending = new Api(token, { apiRoot: url, timeoutSeconds: SEND_SECONDS })
    this.polling = new Api(token, { apiRoot: url, timeoutSeconds: POLL_SECONDS })
  }

  /** Name and number of the bot; `null` if Telegram does not answer at the moment. */
  get me(): Effect.Effect<{ readonly id: number; readonly name: string } | null> {
    const asked = Clock.clockWith((clock) =>
      Effect.tryPromise(async () => {
        if (this.known === null || this.known.until < wallMs(clock))
          this.known = { me: await this.sending.getMe(), until: wallMs(clock) + Duration.toMillis(KNOWN_FOR) }
        return { id: this.known.me.id, name: this.known.me.username }
      })
    )
    return Effect.orElseSucceed(Effect.timeout(asked, NAME_WITHIN_MS), () => null)
  }

  get name(): Effect.Effect<string | null> {
    return Effect.map(this.me, (me) => me?.name ?? null)
  }

  send({ to, text, buttons, picture }: ChatMessage): Effect.Effect<LetterOutcome> {
    const inline_keyboard = buttons.map(({ label, data }) => [{ text: label, callback_data: data }])
    const more = buttons.length === 0 ? {} : { reply_markup: { inline_keyboard } }
    const sent = (interrupted: AbortSignal): Promise<{ readonly message_id: number }> => {
      const signal = interrupted as Signal
      return picture === null
        ? this.sending.sendMessage(to, text, { ...more, link_preview_options: { is_disabled: true } }, signal)
        : this.sending.sendPhoto(
            to,
            new InputFile(picture.bytes, `captcha.${picture.type}`),
            { ...more, caption: text },
            signal
          )
    }
    return Effect.match(
      Effect.tryPromise({
        try: sent,
        catch: (error) => error
      }),
      {
        onSuccess: ({ message_id }): LetterOutcome => ({ type: "sent", message_id: String(message_id) }),
        onFailure: outcomeOf
      }
    )
  }

  /** Sends a message once. A failure is ignored. */
  say(to: number, text: string): Effect.Effect<void> {
    return Effect.ignore(
      Effect.tryPromise(() => this.sending.sendMessage(to, text, { link_preview_options: { is_disabled: true } }))
    )
  }

  pressed(query: string, text: string): Effect.Effect<void> {
    return Effect.ignore(Effect.tryPromise(() => this.sending.answerCallbackQuery(query, { text })))
  }

  settled(to: number, message: number): Effect.Effect<void> {
    return Effect.ignore(Effect.tryPromise(() => this.sending.editMessageReplyMarkup(to, message)))
  }

  /** Waits until there are updates or the time is over. Updates before `offset` are confirmed. */
  poll(offset: number): Effect.Effect<Polled> {
    return Effect.match(
      Effect.tryPromise({
        try: () =>
          this.polling.getUpdates({
            offset,
            limit: UPDATES_MAX,
            timeout: HELD_SECONDS,
            allowed_updates: ["message", "callback_query", "my_chat_member"]
          }),
        catch: (error) => error
      }),
      {
        onSuccess: (updates): Polled => ({ type: "updates", updates }),
        onFailure: (error): Polled => {
          if (!(error instanceof GrammyError)) return { type: "failed", reason: "not reached", wait: null }
          return { type: "failed", reason: String(error.error_code), wait: error.parameters.retry_after ?? null }
        }
      }
    )
  }
}
