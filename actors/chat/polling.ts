/**
 * Polls for people's messages to the bot. The owner of the shard of `LISTENER` polls.
 *
 * Invariants
 *  - An update is confirmed by a later poll, after it was passed on or dropped (inbox.ts). So it comes again if the
 *    node ends before that.
 *  - Updates of one chat are handled in order, one after the other. A chat whose agent cannot be reached delays no
 *    other chat. Updates that cannot be passed on in time are dropped, and logged.
 *  - A failed poll is tried again after growing pauses, up to a maximum.
 */
import { Cause, Clock, Effect, Exit, type Scope } from "effect"
import { logNow } from "../../schemas/runtime/log/log.ts"
import type { Actors } from "../engine/services.ts"
import { handleUpdate, type Listening } from "./answers.ts"
import type { Polled } from "./bot.ts"
import { Inbox, type Waiting } from "./inbox.ts"

export const LISTENER = "chat-listener"

/** Milliseconds for which an update is tried, and between two tries. */
const PATIENCE_MS = 45_000
const AGAIN_MS = 1000
/** The pause between polls while they return the same unfinished updates. */
const OPEN_PAUSE_MS = 500
/** Failed polls in a row before the fault is logged for the operator. */
const FAILED_TOLD = 5
const PAUSE_MIN_MS = 500
const PAUSE_MAX_MS = 30_000

const pausing = (failed: number, wait: number | null): Effect.Effect<void> =>
  Effect.sleep(Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS * 2 ** Math.min(failed, 10), (wait ?? 0) * 1000)))

const NOT_REACHED: Polled = { type: "failed", reason: "not reached", wait: null }

/** Tries to pass an update on. Returns why it was not possible, or `null`. */
const tried = (listening: Listening, bot: number, { update }: Waiting): Effect.Effect<string | null, never, Actors> =>
  Effect.map(Effect.exit(handleUpdate(listening, bot, update)), (exit) => {
    if (Exit.isSuccess(exit)) return null
    const refused = exit.cause.reasons.find(Cause.isFailReason)
    return refused?.error.code ?? "internal_error"
  })

/** Repeats the try until it succeeds, or until `until` (Unix ms). */
const triedFor = (listening: Listening, bot: number, one: Waiting, until: number) =>
  Effect.gen(function* () {
    for (;;) {
      const reason = yield* tried(listening, bot, one)
      if (reason === null || (yield* Clock.currentTimeMillis) + AGAIN_MS > until) return reason
      yield* Effect.sleep(AGAIN_MS)
    }
  })

const passedOn = (listening: Listening, bot: number, one: Waiting): Effect.Effect<void, never, Actors> =>
  Effect.gen(function* () {
    const { update, until } = one
    const reason = until === null ? "overloaded" : yield* triedFor(listening, bot, one, until)
    if (reason === null) return
    logNow("warn", "chat", { reason })
    const chat = update.message?.chat.id ?? update.callback_query?.message?.chat.id
    if (chat !== undefined) yield* listening.bot.say(chat, "This could not be passed on. Please send it again.")
  })

const served = (listening: Listening, bot: number, inbox: Inbox, chat: string): Effect.Effect<void, never, Actors> =>
  Effect.gen(function* () {
    for (let one = inbox.first(chat); one !== undefined; one = inbox.first(chat)) {
      yield* passedOn(listening, bot, one)
      inbox.settled(chat)
    }
  })

const listening = (to: Listening, inbox: Inbox): Effect.Effect<never, never, Actors | Scope.Scope> =>
  Effect.gen(function* () {
    let failed = 0
    for (;;) {
      yield* inbox.pause(OPEN_PAUSE_MS)
      const me = yield* to.bot.me
      const polled: Polled = me === null ? NOT_REACHED : yield* to.bot.poll(inbox.offset)
      if (me === null || polled.type === "failed") {
        // If two nodes poll for a moment, the other side refuses one. A lasting fault is reported to the operator once.
        if (++failed === FAILED_TOLD) logNow("warn", "chat", { reason: polled.type === "failed" ? polled.reason : "" })
        yield* pausing(failed, polled.type === "failed" ? polled.wait : null)
        continue
      }
      failed = 0
      for (const chat of inbox.take(polled.updates)) yield* Effect.forkScoped(served(to, me.id, inbox, chat))
    }
  })

export const listens = (to: Listening, patienceMs = PATIENCE_MS): Effect.Effect<never, never, Actors> =>
  Effect.scoped(Clock.clockWith((clock) => listening(to, new Inbox(clock, patienceMs))))
