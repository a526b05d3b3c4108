/**
 * Listens to what people say to the bot: one node at a time, as long as leases hold.
 *
 * Invariants
 *  - What was heard is confirmed to the other side by the next poll alone, so that it is heard again where the node ends
 *    before it has passed it on.
 *  - One after the other, in their order. One that cannot be passed on in its time is left, and said to be; so is one
 *    that is not what it should be, or it would come again for ever and keep everybody else's from being heard.
 *  - A poll that fails is tried again with growing pauses, at most so long.
 */
import { Effect } from "effect"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import type { Actors } from "../services.ts"
import { heard, type Listening } from "./answers.ts"
import type { Polled } from "./bot.ts"

/** Whoever owns this actor id's shard listens. */
export const LISTENER = "chat-listener"

const TRIES_MAX = 5
const AGAIN_MS = 1000
const PAUSE_MIN_MS = 500
const PAUSE_MAX_MS = 30_000

const pausing = (failed: number, wait: number | null): Effect.Effect<void> =>
  Effect.sleep(Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS * 2 ** Math.min(failed, 10), (wait ?? 0) * 1000)))

const NOT_REACHED: Polled = { type: "failed", reason: "not reached", wait: null }

type Update = Parameters<typeof heard>[2]

/** Of updates that are none, and of faults of ours. */
const notUnderstood: Refusal = refusal("internal_error", "This was not understood.")

const taken = (listening: Listening, bot: number, update: Update): Effect.Effect<void, Refusal, Actors> =>
  Effect.catchDefect(
    Effect.suspend(() => heard(listening, bot, update)),
    () => Effect.fail(notUnderstood)
  )

const leftOut = ({ bot }: Listening, update: Update): Effect.Effect<void> =>
  Effect.suspend(() => {
    const chat = update.message?.chat.id ?? update.callback_query?.message?.chat.id
    return chat === undefined ? Effect.void : bot.say(chat, "This could not be passed on. Please send it again.")
  })

const passedOn = (listening: Listening, bot: number, update: Update): Effect.Effect<void, never, Actors> =>
  Effect.gen(function* () {
    for (let tries = 1; ; tries++) {
      const refused = yield* Effect.match(taken(listening, bot, update), {
        onSuccess: () => null,
        onFailure: (refusal) => refusal
      })
      if (refused === null) return
      if (tries < TRIES_MAX) {
        yield* Effect.sleep(AGAIN_MS)
        continue
      }
      logNow("warn", "chat", { reason: refused.code })
      return yield* Effect.catchDefect(leftOut(listening, update), () => Effect.void)
    }
  })

/** For as long as it is let. */
export const listens = (listening: Listening): Effect.Effect<never, never, Actors> =>
  Effect.gen(function* () {
    let offset = 0
    let failed = 0
    for (;;) {
      const me = yield* listening.bot.me
      const polled: Polled = me === null ? NOT_REACHED : yield* listening.bot.poll(offset)
      if (me === null || polled.type === "failed") {
        // Two who listen for a moment are turned away by the other side; of a lasting fault an operator hears once.
        if (++failed === TRIES_MAX) logNow("warn", "chat", { reason: polled.type === "failed" ? polled.reason : "" })
        yield* pausing(failed, polled.type === "failed" ? polled.wait : null)
        continue
      }
      failed = 0
      for (const update of polled.updates) {
        yield* passedOn(listening, me.id, update)
        offset = update.update_id + 1
      }
    }
  })
