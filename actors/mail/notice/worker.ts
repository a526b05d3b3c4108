/**
 * Carries out what the provider told: takes it from a durable consumer of the log, opens it, acts, and settles it.
 *
 * Invariants
 *  - The log says what is to be done: a call for a notification is acknowledged when its actor has the outcome, or has
 *    put it off. A worker may die anywhere: another carries it out again, which is done once (the same mail, the same
 *    report).
 *  - So many at once (`notices_at_once`), each bounded in time; what is held is said to be worked on.
 *  - What cannot be done at the moment is put off at once, and called for again by its actor's timer: what waits takes no
 *    place of the consumer's, and so holds up nothing else. Only what its actor cannot be asked about is given back.
 */
import { Cause, Effect, Exit, Fiber, FiberSet, Schedule, type Scope } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { NoticeOutcome } from "../../../schemas/mail/notice.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { eventsOf } from "../../engine/events.ts"
import { checkEvents, UnknownEvent } from "../../engine/fold.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import { Held } from "../../kit/worker/held.ts"
import type { Message, Source } from "../../kit/worker/message.ts"
import type { Commit } from "../../log/commit.ts"
import type { MailKeys } from "../keys.ts"
import { againMs } from "./decide.ts"
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

interface Call {
  readonly attempt: number
  /** `null`: the log has it further back. */
  readonly sealed: string | null
}

const text = new TextDecoder()

/** `null`: nothing is to be done; `undefined`: this release does not know. */
const callIn = ({ data }: Message): Call | null | undefined => {
  if (data.length === 0) return null
  const commit = JSON.parse(text.decode(data)) as Commit
  try {
    checkEvents({ kind: "mail_notice", events: NOTICE_EVENTS }, commit)
  } catch (error) {
    if (error instanceof UnknownEvent) return undefined
    throw error
  }
  for (const event of eventsOf(NoticeEvent, commit)) {
    if (event.type === "mail_notice.taken") return { attempt: 1, sealed: event.sealed }
    if (event.type === "mail_notice.due") return { attempt: event.attempt, sealed: null }
  }
  return null
}

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
      const call = callIn(message)
      if (call === undefined) return message.nak(STRANGE_MS)
      if (call === null) return message.ack()
      if (held.has(message)) return
      held.hold(message)
      run(answered(parts, message, call)).addObserver((exit) => {
        if (Exit.isSuccess(exit)) held.ack(message)
        else held.nak(message, againMs(bounds, message.given))
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

/** Fails where the call is to come again. */
const answered = (parts: NoticeParts, message: Message, call: Call): Effect.Effect<void, Refusal> => {
  const { delivery: id } = message
  return Effect.matchCauseEffect(carriedOut(parts, id, call), {
    onSuccess: (outcome) => settled(parts, id, outcome),
    onFailure: (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      if (!Cause.hasFails(cause)) logFault(message, Cause.squash(cause))
      return putOff(parts, message, call, reasonOf(cause))
    }
  })
}

const carriedOut = (
  { ask, keys, carryOut, bounds }: NoticeParts,
  id: string,
  { attempt, sealed }: Call
): Effect.Effect<NoticeOutcome, Refusal | Cause.TimeoutError> =>
  Effect.gen(function* () {
    const box = sealed ?? (yield* ask(`message-${id}-${attempt}`, "mail_notice.message", id, null)).sealed
    return yield* Effect.timeout(carryOut(id, keys.openNotice(id, box)), bounds.notice_try_ms)
  })

const settled = ({ ask }: NoticeParts, id: string, outcome: NoticeOutcome): Effect.Effect<void, Refusal> => {
  if (outcome.outcome === "given_up") logNow("warn", "mail", { notice: id, given_up: outcome.reason })
  return Effect.catch(ask(`settle-${id}`, "mail_notice.settle", id, outcome), (refused) =>
    // The log has forgotten it: there is nothing to settle.
    refused.code === "not_found" ? Effect.void : Effect.fail(refused)
  )
}

const putOff = (
  { ask }: NoticeParts,
  { delivery: id, seq }: Message,
  { attempt }: Call,
  reason: string
): Effect.Effect<void, Refusal> =>
  Effect.matchEffect(ask(`put-off-${id}-${seq}`, "mail_notice.put_off", id, { attempt, reason }), {
    onSuccess: ({ given_up }) =>
      Effect.sync(() => {
        if (given_up) logNow("warn", "mail", { notice: id, given_up: reason })
      }),
    onFailure: (refused) =>
      // The log has forgotten it: it can be put off no longer.
      refused.code === "not_found"
        ? Effect.sync(() => logNow("warn", "mail", { notice: id, forgotten: reason }))
        : Effect.fail(refused)
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
