/**
 * Polls for people's messages to the bot. The owner of the shard of `LISTENER` polls.
 *
 * Invariants
 *  - An update is confirmed by a later poll, after it was passed on or dropped. So it comes again if the node ends
 *    before that. Some are confirmed earlier, so that they do not hide updates of other chats (inbox.ts).
 *  - Updates of one chat are handled in order, one after the other. A chat whose agent cannot be reached delays no
 *    other chat. Updates that cannot be passed on in time are dropped, which their chat is told and the log says, both
 *    only so often for each chat (notices.ts).
 *  - A failed poll is tried again after growing pauses, up to a maximum.
 */
import { Cause, Clock, Effect, Exit, type Scope } from "effect"
import { logNow } from "../../schemas/runtime/log/log.ts"
import type { Update } from "grammy/types"
import type { Actors } from "../engine/services.ts"
import { handleUpdate, type Hearing, type Listening } from "./answers.ts"
import type { Polled } from "./bot.ts"
import { Inbox, type Waiting } from "./inbox.ts"
import { Notices } from "./notices.ts"
import { botTexts } from "./words.ts"

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
const tried = (hearing: Hearing, bot: number, { update }: Waiting): Effect.Effect<string | null, never, Actors> =>
  Effect.map(Effect.exit(handleUpdate(hearing, bot, update)), (exit) => {
    if (Exit.isSuccess(exit)) return null
    const refused = exit.cause.reasons.find(Cause.isFailReason)
    return refused?.error.code ?? "internal_error"
  })

/** Repeats the try until it succeeds, or until the update's time is over. Returns the last reason, or `null`. */
const triedFor = (hearing: Hearing, bot: number, one: Waiting) =>
  Effect.gen(function* () {
    for (;;) {
      const reason = yield* tried(hearing, bot, one)
      if (reason === null || (yield* Clock.currentTimeMillis) + AGAIN_MS > one.until) return reason
      yield* Effect.sleep(AGAIN_MS)
    }
  })

/** Logs that an update is given up, and tells its chat, unless both happened a short time ago. */
const givenUp = ({ bot, notices }: Hearing, update: Update, reason: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const chat = update.message?.chat.id ?? update.callback_query?.message?.chat.id
    if (!notices.due(chat ?? 0, botTexts.notPassedOn)) return Effect.void
    logNow("warn", "chat", { reason })
    return chat === undefined ? Effect.void : bot.say(chat, botTexts.notPassedOn)
  })

const passedOn = (hearing: Hearing, bot: number, one: Waiting): Effect.Effect<void, never, Actors> =>
  Effect.flatMap(triedFor(hearing, bot, one), (reason) =>
    reason === null ? Effect.void : givenUp(hearing, one.update, reason)
  )

const served = (hearing: Hearing, bot: number, inbox: Inbox, chat: string): Effect.Effect<void, never, Actors> =>
  Effect.gen(function* () {
    for (let one = inbox.first(chat); one !== undefined; one = inbox.first(chat)) {
      yield* passedOn(hearing, bot, one)
      inbox.settled(chat)
    }
  })

const listening = (to: Hearing, inbox: Inbox): Effect.Effect<never, never, Actors | Scope.Scope> =>
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
      const { begun, dropped } = inbox.take(polled.updates)
      for (const chat of begun) yield* Effect.forkScoped(served(to, me.id, inbox, chat))
      for (const update of dropped) yield* Effect.forkScoped(givenUp(to, update, "overloaded"))
    }
  })

export const listens = (to: Listening, patienceMs = PATIENCE_MS): Effect.Effect<never, never, Actors> =>
  Effect.scoped(
    Clock.clockWith((clock) => listening({ ...to, notices: new Notices(clock) }, new Inbox(clock, patienceMs)))
  )
