/**
 * Carries out what the provider told: takes it from a durable consumer of the log, opens it, acts, and settles it.
 *
 * Invariants
 *  - The log says what is to be done: a notification is acknowledged when its actor has the outcome. A worker may die
 *    anywhere: another carries it out again, which is done once (the same mail, the same report).
 *  - So many at once (`notices_at_once`), each bounded in time; what is held is said to be worked on.
 *  - What cannot be done at the moment is tried again, each time later, and given up into the log when it is too old: by
 *    then whoever has to be reached has been away for days.
 */
import { Cause, Effect, Exit, Fiber, FiberSet, Schedule, type Scope } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { NoticeOutcome } from "../../../schemas/mail/notice.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { eventsOf } from "../../engine/events.ts"
import { checkEvents, UnknownEvent } from "../../engine/fold.ts"
import type { Asking } from "../../fanout/asks.ts"
import { Held } from "../../fanout/held.ts"
import type { Message, Source } from "../../fanout/message.ts"
import type { Commit } from "../../log/commit.ts"
import type { MailKeys } from "../keys.ts"
import { NOTICE_EVENTS, NoticeEvent } from "./state.ts"

export interface NoticeParts {
  readonly source: Source
  readonly ask: Asking
  readonly keys: Pick<MailKeys, "openNotice">
  readonly carryOut: (id: string, message: string) => Effect.Effect<NoticeOutcome, Refusal>
  readonly bounds: Limits["service"]["mail"]
}

/** What a newer release has written is left to its workers. */
const STRANGE_MS = 5000
const FETCH_RETRY_MS = 250
/** At the end, for what is under way. */
const LINGER_MS = 1000

interface Notice {
  readonly sealed: string
  /** Unix ms. */
  readonly at: number
}

const text = new TextDecoder()

/** `null`: nothing is to be done; `undefined`: this release does not know. */
const noticeIn = ({ data }: Message): Notice | null | undefined => {
  if (data.length === 0) return null
  const commit = JSON.parse(text.decode(data)) as Commit
  try {
    checkEvents({ kind: "mail_notice", events: NOTICE_EVENTS }, commit)
  } catch (error) {
    if (error instanceof UnknownEvent) return undefined
    throw error
  }
  const taken = eventsOf(NoticeEvent, commit).find((event) => event.type === "mail_notice.taken")
  return taken === undefined ? null : { sealed: taken.sealed, at: commit.at }
}

export const againMs = ({ notice_again_ms, notice_again_max_ms }: Limits["service"]["mail"], given: number): number =>
  Math.min(notice_again_ms * 2 ** Math.min(given - 1, 20), notice_again_max_ms)

export const noticeWorker = (parts: NoticeParts): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { source, bounds } = parts
    const { notices_at_once, notice_pending_max, notice_ack_wait_ms } = bounds
    const held = new Held({ held_max: notices_at_once, fetch_room_min: 1, ack_pending_max: notice_pending_max })
    const working = Effect.sync(() => held.sayWorking())
    yield* Effect.forkScoped(Effect.repeat(working, Schedule.spaced(Math.ceil(notice_ack_wait_ms / 3))))
    const underWay = yield* FiberSet.make()
    const run = yield* FiberSet.runtime(underWay)()
    const take = (message: Message): void => {
      const notice = noticeIn(message)
      if (notice === undefined) return message.nak(STRANGE_MS)
      if (notice === null) return message.ack()
      if (held.has(message)) return
      held.hold(message)
      run(settled(parts, message, notice)).addObserver((exit) => {
        if (Exit.isSuccess(exit)) return held.ack(message)
        if (!Exit.hasFails(exit) && !Exit.hasInterrupts(exit)) logFault(message, Cause.squash(exit.cause))
        held.nak(message, againMs(bounds, message.given))
      })
    }
    const some = Effect.suspend(() => source.fetch(held.room, take))
    const fetching = yield* Effect.forkScoped(
      Effect.orDie(Effect.retry(Effect.forever(Effect.andThen(held.roomy, some)), Schedule.spaced(FETCH_RETRY_MS)))
    )
    yield* Effect.addFinalizer(() =>
      Effect.andThen(Fiber.interrupt(fetching), Effect.timeoutOption(FiberSet.awaitEmpty(underWay), LINGER_MS))
    )
  })

/** Fails where it is to come again. */
const settled = (
  { ask, keys, carryOut, bounds }: NoticeParts,
  { delivery: id }: Message,
  { sealed, at }: Notice
): Effect.Effect<void, Refusal | Cause.TimeoutError> =>
  Effect.gen(function* () {
    const carried = Effect.suspend(() => carryOut(id, keys.openNotice(id, sealed)))
    const outcome = yield* Effect.catchCause(Effect.timeout(carried, bounds.notice_try_ms), (cause) => {
      if (Cause.hasInterruptsOnly(cause) || Date.now() - at < bounds.notice_give_up_seconds * 1000)
        return Effect.failCause(cause)
      return Effect.succeed<NoticeOutcome>({ outcome: "given_up", reason: reasonOf(cause) })
    })
    if (outcome.outcome === "given_up") logNow("warn", "mail", { notice: id, given_up: outcome.reason })
    yield* Effect.catch(ask(`settle-${id}`, "mail_notice.settle", id, outcome), (refused) =>
      // The log has forgotten it: there is nothing to settle.
      refused.code === "not_found" ? Effect.void : Effect.fail(refused)
    )
  })

/** Words of ours: of a fault no more than its kind, for its text may hold what a mail says. */
const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (error instanceof Error) return error.constructor.name
  const { message } = (typeof error === "object" && error !== null ? error : {}) as { readonly message?: unknown }
  return typeof message === "string" ? message : "unknown"
}

const logFault = ({ delivery }: Message, error: unknown): void =>
  logNow("error", "mail", { notice: delivery, error: error instanceof Error ? error.constructor.name : "unknown" })
