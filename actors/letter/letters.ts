/**
 * The parts of a node that send letters to people: mail, chat and web push, each with slots that limit its attempts.
 */
import { Clock, Deferred, Effect, type Scope } from "effect"
import type { HubConfig } from "../../schemas/config.ts"
import { mailHostOf } from "../../schemas/letter/settings.ts"
import { Bot } from "../chat/noun.ts"
import { Poster } from "../kit/post.ts"
import { Pusher } from "../push/noun.ts"
import { fileTransport } from "../kit/mailing/file-transport.ts"
import { worldTransport } from "../mail/noun.ts"
import { mailTransport } from "./mail-transport.ts"
import type { KindParts } from "../kit/kind.ts"
import { outboxOf } from "../kit/mailing/outbox.ts"
import { Slots } from "./slots.ts"
import { smtpTransport } from "../kit/mailing/smtp-transport.ts"
import type { Transport } from "../kit/mailing/transport.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"

/**
 * The end of a node gives attempts this long to finish. Afterwards TELLING_MS remain to record the outcome of the
 * others.
 */
const ENDING_MS = 1500
const TELLING_MS = 500
export interface Letters {
  readonly config: Pick<HubConfig, "letters" | "limits" | "baseUrl" | "name">
  /** `null` if no chat is configured. */
  readonly chat: Bot | null
  /** `null` if no transport for letters by mail is configured. */
  readonly transport: Transport | null
  readonly slots: Slots
  /** `null` if web push is not configured. */
  readonly push: Pusher | null
  /** Chat and web push have separate slots, so that their servers cannot delay letters. */
  readonly chatSlots: Slots
  readonly pushSlots: Slots
  /** Resolves when attempts in progress must end. */
  readonly hurry: Effect.Effect<void>
  /** Waits for attempts in progress, and then asks them to hurry. */
  readonly end: Effect.Effect<void>
}

export interface LetterParts extends KindParts {
  readonly letters: Letters
}

export const openLetters = (
  config: Pick<HubConfig, "letters" | "chat" | "push" | "mail" | "env" | "data" | "limits" | "baseUrl" | "name">
): Effect.Effect<Letters, never, Scope.Scope> =>
  Effect.gen(function* () {
    const transport = yield* openTransport(config)
    const figures = config.limits.service.letters
    const atOnce = figures.letters_at_once
    const clock = yield* Clock.Clock
    const now = (): number => monotonicMs(clock)
    const slots = new Slots(atOnce, now, figures, figures.hurry_ms)
    const [chatSlots, pushSlots] = [new Slots(atOnce, now, figures), new Slots(atOnce, now, figures)]
    const ended = Effect.all([slots.ended, chatSlots.ended, pushSlots.ended], { concurrency: "unbounded" })
    const hurrying = yield* Deferred.make<void>()
    const end = Effect.gen(function* () {
      yield* Effect.timeoutOption(ended, ENDING_MS)
      yield* Deferred.succeed(hurrying, undefined)
      yield* Effect.timeoutOption(ended, TELLING_MS)
    })
    const chat = config.chat === null ? null : new Bot(config.chat)
    const push = yield* openPusher(config, clock)
    return { config, chat, push, transport, slots, chatSlots, pushSlots, hurry: Deferred.await(hurrying), end }
  })

/** Opens the client for web push. Its connections are closed with the scope. */
const openPusher = (
  { push: settings, env, limits, baseUrl }: Pick<HubConfig, "push" | "env" | "limits" | "baseUrl">,
  clock: Clock.Clock
): Effect.Effect<Pusher | null, never, Scope.Scope> => {
  if (settings === null) return Effect.succeed(null)
  const opened = Effect.sync(() => new Poster({ clock, production: env === "production", limits: limits.webhook }))
  return Effect.map(
    Effect.acquireRelease(opened, (poster) => Effect.sync(() => poster.close())),
    (poster) => {
      const { protocol, hostname } = new URL(baseUrl)
      const subject = protocol === "https:" ? baseUrl : `mailto:postmaster@${hostname}`
      return new Pusher({ settings, poster, subject, keptSeconds: limits.limits.owner.relay_max_age_seconds })
    }
  )
}

/** Opens the transport for letters by mail. Its connections are closed with the scope. */
const openTransport = (
  config: Pick<HubConfig, "letters" | "mail" | "env" | "data" | "limits" | "baseUrl">
): Effect.Effect<Transport | null, never, Scope.Scope> => {
  const { letters, mail, data, limits, baseUrl } = config
  switch (letters?.transport) {
    case undefined:
      return Effect.succeed(null)
    case "file":
      return Effect.succeed(fileTransport(outboxOf(data)))
    case "smtp":
      return smtpTransport(letters.server, { ...limits.service.letters, name: mailHostOf(baseUrl) })
    case "mail":
      return mail === null ? Effect.succeed(null) : Effect.map(worldTransport(mail, config), mailTransport)
  }
}
