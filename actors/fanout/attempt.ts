/**
 * Makes one attempt: the agent's actor signs it, it is sent to the receiver, and the delivery's actor records the
 * outcome.
 *
 * Invariants
 *  - The message is acknowledged when the delivery's actor has recorded, postponed or dropped the attempt.
 *  - The command id of an answer follows from the attempt's number, so an answer that is given twice counts once.
 *
 * The steps are chained without `Effect.gen`. With a generator, each attempt outlives the garbage collector's young
 * generation, and costs twice as much.
 */
import { Clock, Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Span } from "../../schemas/runtime/trace/span.ts"
import { VERSION } from "../../schemas/version.ts"
import { GONE, receiverOf } from "../delivery/noun.ts"
import type { Asking } from "../kit/worker/asks.ts"
import { type Content, logFault } from "./call.ts"
import type { HeldMessages } from "../kit/worker/held.ts"
import type { Message } from "../kit/worker/message.ts"
import type { Deadlines } from "./deadlines.ts"
import type { Poster, PostOutcome } from "../kit/post.ts"
import { endPost, postSpan } from "./trace.ts"

export interface Attempt extends Content {
  readonly message: Message
  readonly call: number
  readonly span?: Span | null
}

export interface AttemptEnd {
  /** Milliseconds that the receiver took, or `null` if it was not asked. */
  readonly tookMs: number | null
  /**
   * The receiver's new address, if the agent has changed it since this was queued. The attempt then waits for its turn
   * there.
   */
  readonly receiver?: string
}

export interface DeliveryObserver {
  /** An attempt that was made. `retried`: the delivery set a timer for another one. */
  readonly attempted: (outcome: PostOutcome, retried: boolean) => void
  readonly putOff: () => void
  readonly dropped: () => void
  readonly disabled: () => void
}

export interface AttemptParts {
  readonly ask: Asking
  readonly held: HeldMessages
  readonly poster: Pick<Poster, "post">
  /** The time after which a receiver counts as slow, and the time after which a POST counts as timed out. */
  readonly slow: Deadlines
  readonly astray: Deadlines
  readonly observer?: DeliveryObserver | undefined
}

export class Overdue extends Error {}

type Signed = Extract<Operations["webhook.sign"]["output"], { readonly signature: string }>

const USER_AGENT = `HubWebhook/${VERSION}`

const headersOf = ({ message, about, body }: Attempt, timestamp: string, { signature }: Signed) => ({
  "content-type": "application/json; charset=utf-8",
  "content-length": Buffer.byteLength(body),
  "user-agent": USER_AGENT,
  "webhook-id": `ntf_${message.delivery}`,
  "webhook-timestamp": timestamp,
  "webhook-signature": signature,
  "x-hub-event": about,
  "x-hub-delivery": message.delivery
})

/** `slow` is called when the receiver has taken so long that it counts as slow. */
export const attempted = (
  parts: AttemptParts,
  attempt: Attempt,
  slow: () => void
): Effect.Effect<AttemptEnd, Refusal> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => attemptedAt(parts, attempt, String(Math.floor(now / 1000)), slow))

const attemptedAt = (
  parts: AttemptParts,
  attempt: Attempt,
  timestamp: string,
  slow: () => void
): Effect.Effect<AttemptEnd, Refusal> => {
  const { message, agent, body } = attempt
  const signing = { id: `ntf_${message.delivery}`, timestamp, body }
  const id = `sign-${message.delivery}-${message.seq}`
  return Effect.flatMap(parts.ask(id, "webhook.sign", agent, signing, attempt), (signed) => {
    if ("drop" in signed) return dropped(parts, attempt, signed.drop)
    if ("paused" in signed) return Effect.as(putOff(parts, attempt), { tookMs: null })
    const receiver = receiverOf(signed.url)
    return receiver === attempt.receiver
      ? made(parts, attempt, timestamp, signed, slow)
      : Effect.succeed({ tookMs: null, receiver })
  })
}

const dropped = (parts: AttemptParts, attempt: Attempt, reason: string): Effect.Effect<AttemptEnd> =>
  Effect.map(reportOutcome(parts, attempt, "delivery.drop", { call: attempt.call, reason }), () => {
    parts.observer?.dropped()
    return { tookMs: null }
  })

const made = (
  parts: AttemptParts,
  attempt: Attempt,
  timestamp: string,
  signed: Signed,
  slow: () => void
): Effect.Effect<AttemptEnd> => {
  if (parts.held.isLost(attempt.message)) {
    parts.held.letGo(attempt.message)
    return Effect.succeed({ tookMs: null })
  }
  const span = attempt.span ? postSpan(attempt.span, signed.url, attempt.attempts) : null
  const post = () => parts.poster.post(signed.url, headersOf(attempt, timestamp, signed), Buffer.from(attempt.body))
  return Effect.flatMap(posted(parts, attempt.message, post, slow), (outcome) => {
    if (span !== null) endPost(span, outcome)
    return Effect.as(reported(parts, attempt, outcome, signed), { tookMs: outcome.duration_ms })
  })
}

export const putOff = (parts: AttemptParts, attempt: Attempt): Effect.Effect<void> =>
  Effect.map(reportOutcome(parts, attempt, "delivery.put_off", { call: attempt.call }), () => parts.observer?.putOff())

/** The outcome of a POST. One that does not return in time has the outcome `timeout`. */
const posted = (
  { slow, astray }: AttemptParts,
  message: Message,
  post: () => Promise<PostOutcome>,
  isSlow: () => void
): Effect.Effect<PostOutcome> =>
  Effect.callback((resume) => {
    const began = astray.now()
    const clear = (): void => {
      slow.clear(isSlow)
      astray.clear(isAstray)
    }
    const settle = (outcome: Effect.Effect<PostOutcome>): void => {
      clear()
      resume(outcome)
    }
    const isAstray = (): void => {
      logFault(message, new Overdue())
      const duration_ms = Math.round(astray.now() - began)
      settle(Effect.succeed({ response_code: null, error: "timeout", retry_after_seconds: null, duration_ms }))
    }
    slow.set(isSlow)
    astray.set(isAstray)
    post().then(
      (outcome) => settle(Effect.succeed(outcome)),
      (error) => settle(Effect.die(error))
    )
    return Effect.sync(clear)
  })

const reported = (parts: AttemptParts, attempt: Attempt, outcome: PostOutcome, { url, failing }: Signed) =>
  Effect.flatMap(reportOutcome(parts, attempt, "delivery.report", { call: attempt.call, ...outcome }), (report) => {
    const delivered = outcome.error === null
    parts.observer?.attempted(outcome, !delivered && report?.status === "pending")
    if (report === null || (delivered && !failing)) return Effect.void
    const id = `webhook-${attempt.message.delivery}-${attempt.call}`
    const found = { url, delivered, gone: outcome.response_code === GONE }
    return Effect.match(parts.ask(id, "webhook.attempted", attempt.agent, found, attempt), {
      onSuccess: ({ disabled }) => (disabled ? parts.observer?.disabled() : undefined),
      onFailure: () => undefined
    })
  })

/** Reports to the delivery's actor. `null` if that failed; the message then comes again. */
const reportOutcome = <Op extends "delivery.report" | "delivery.drop" | "delivery.put_off">(
  { ask, held }: AttemptParts,
  attempt: Attempt,
  op: Op,
  input: Operations[Op]["input"]
): Effect.Effect<Operations[Op]["output"] | null> => {
  const { message, call } = attempt
  return Effect.match(ask(`delivery-${message.delivery}-${call}`, op, message.delivery, input, attempt), {
    onSuccess: (answer) => {
      held.ack(message)
      return answer
    },
    onFailure: () => {
      held.again(message)
      return null
    }
  })
}
