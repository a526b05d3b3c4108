/**
 * Carries out the notifications of a mail provider: takes each from the log, opens it, acts, and settles it.
 *
 * Invariants (besides kit/worker/worker.ts)
 *  - A notification that is carried out twice has its effect once (the same mail, the same report).
 *  - One process carries out at most `notices_at_once` notifications at a time, each within `notice_try_ms`.
 *  - A notification that cannot be carried out now is postponed by its actor and acknowledged, so that it does not
 *    occupy the consumer. The actor's timer starts the next attempt. It is returned to the consumer only if its actor
 *    cannot be asked.
 */
import { Cause, Effect, type Scope } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { NoticeOutcome } from "../../../schemas/mail/notice.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import { eventsIn, kindOf, type Message, type Source } from "../../kit/worker/message.ts"
import { handleEach } from "../../kit/worker/worker.ts"
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

/** Time for notifications under way when the worker ends. */
const LINGER_MS = 1000

interface Call {
  readonly attempt: number
  /** The sealed content; `null` if it is in an earlier commit of the log. */
  readonly sealed: string | null
}

const callIn = (message: Message): Call | null | undefined => {
  const events = eventsIn(NOTICE_EVENTS, NoticeEvent, message)
  if (events === undefined) return undefined
  for (const event of events) {
    if (event.type === "mail_notice.taken") return { attempt: 1, sealed: event.sealed }
    if (event.type === "mail_notice.due") return { attempt: event.attempt, sealed: null }
  }
  return null
}

export const noticeWorker = (parts: NoticeParts): Effect.Effect<void, never, Scope.Scope> =>
  handleEach({
    source: parts.source,
    heldMax: parts.bounds.notices_at_once,
    ackWaitMs: parts.bounds.notice_ack_wait_ms,
    lingerMs: LINGER_MS,
    callIn,
    handle: (message, call) => answered(parts, message, call),
    againMs: ({ given }) => againMs(parts.bounds, given)
  })

/** Fails if the notification must be delivered again. */
const answered = (parts: NoticeParts, message: Message, call: Call): Effect.Effect<void, Refusal> => {
  const { delivery: id } = message
  return Effect.matchCauseEffect(carriedOut(parts, id, call), {
    onSuccess: (outcome) => settled(parts, id, outcome),
    onFailure: (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      if (!Cause.hasFails(cause)) logNow("error", "mail", { notice: id, error: kindOf(Cause.squash(cause)) })
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
    // The log has deleted the notice, so there is nothing to settle.
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
      // The log has deleted the notice, so it cannot be postponed.
      refused.code === "not_found"
        ? Effect.sync(() => logNow("warn", "mail", { notice: id, forgotten: reason }))
        : Effect.fail(refused)
  })

/** The fixed message of a refusal, or the class name of an error. An error's own message may quote mail. */
const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (error instanceof Error) return error.constructor.name
  const { message } = (typeof error === "object" && error !== null ? error : {}) as { readonly message?: unknown }
  return typeof message === "string" ? message : "unknown"
}
