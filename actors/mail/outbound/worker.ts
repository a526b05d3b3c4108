/**
 * Sends what the queue calls for: takes commits of `mail_sending` from the consumer that all mail processes share.
 *
 * Invariants
 *  - The log says what is to be done. A message of the consumer is acknowledged when its actor has been told what became
 *    of the attempt, or that none is called for.
 *  - An attempt is begun in the log before anything goes out. A process that dies leaves it to another, which asks the
 *    actor: only what does no harm twice is sent again (sending/decide.ts).
 *  - What is held is bounded. A slow server keeps one place of `sends_at_once` for each attempt, and one sender or one
 *    destination domain never has more than its share of the places (shares.ts).
 *  - As the scope closes nothing more is begun, and what is under way is told to hurry.
 */
import { Deferred, Effect, FiberSet, Schedule, type Scope, Semaphore } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { type SendJob, type SendOutcome, SERVICE_ID } from "../../../schemas/mail/sending-operations.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { registrableDomainOf } from "../../kit/registrable-domain.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import type { Message, Source } from "../../kit/worker/message.ts"
import { orNone } from "../or-none.ts"
import { Shares } from "./shares.ts"
import type { Outcome, Outgoing, Transport } from "./transport.ts"

export interface WorkerParts {
  readonly source: Source
  readonly ask: Asking
  /** By the recipient's address. */
  readonly route: (to: string) => Effect.Effect<Transport, Refusal>
  /** The bytes of a message for one recipient. Fails where they cannot be had now. */
  readonly made: (sending: string, job: SendJob, transport: Transport) => Effect.Effect<Outgoing, Refusal>
  readonly bounds: Bounds
}

type Bounds = Pick<
  Limits["service"]["mail"],
  | "sends_at_once"
  | "sends_at_once_of_sender"
  | "sends_at_once_to_domain"
  | "sends_held_max"
  | "sends_held_of_sender"
  | "sends_held_to_domain"
  | "send_ack_wait_ms"
>

const FETCH_RETRY_MS = 250
const AGAIN_MS = 2000
const AGAIN_MAX_MS = 60_000
const TOLD_AGAIN_MS = 1000
const TELLINGS_MAX = 20
const LINGER_MS = 1500

const ending = unavailable("The process ends.")
const paused = unavailable("This service sends no mail at the moment.")

const text = new TextDecoder()

/** Whether a commit calls for an attempt; what a newer release writes is asked of its actor. */
const isCall = ({ data }: Message): boolean => /"mail_sending\.(?:queued|due)"/.test(text.decode(data))

const told = (outcome: Outcome, own: boolean): SendOutcome => {
  switch (outcome.type) {
    case "sent":
      return { type: outcome.delivered ? "delivered" : "sent" }
    case "refused":
      return outcome.of === "address"
        ? { type: "bounced", reason: outcome.reason, own }
        : { type: "failed", reason: outcome.reason }
    case "passing":
    case "unknown":
      return outcome
  }
}

export const outboundWorker = (parts: WorkerParts): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { source, bounds } = parts
    const held = new Set<Message>()
    const places = new Shares(bounds.sends_at_once)
    const room = yield* Semaphore.make(bounds.sends_held_max)
    const hurry = yield* Deferred.make<void>()
    const underWay = yield* FiberSet.make()
    const run = yield* FiberSet.runtime(underWay)()
    yield* Effect.addFinalizer(() =>
      Effect.andThen(Deferred.succeed(hurry, undefined), Effect.timeoutOption(FiberSet.awaitEmpty(underWay), LINGER_MS))
    )
    const working = Effect.sync(() => {
      for (const message of held) message.working()
    })
    yield* Effect.forkScoped(Effect.repeat(working, Schedule.spaced(Math.ceil(bounds.send_ack_wait_ms / 3))))
    const take = (message: Message): void => {
      if (!isCall(message)) return message.ack()
      held.add(message)
      const attempt = sent(parts, message, {
        hurry: Deferred.await(hurry),
        isEnding: () => Deferred.isDoneUnsafe(hurry)
      })
      const sending = Effect.flatMap(sharesOf(parts, message), (shares) => places.using(shares, attempt))
      const settled = Effect.match(sending, {
        onSuccess: () => message.ack(),
        onFailure: () => message.nak(Math.min(AGAIN_MS * message.given, AGAIN_MAX_MS))
      })
      run(
        room.withPermits(1)(
          Effect.ensuring(
            settled,
            Effect.sync(() => held.delete(message))
          )
        )
      )
    }
    // No more than there is room for is fetched.
    const some = room.withPermits(1)(
      Effect.suspend(() => source.fetch(Math.max(1, bounds.sends_held_max - held.size), take))
    )
    yield* Effect.forkScoped(Effect.orDie(Effect.retry(Effect.forever(some), Schedule.spaced(FETCH_RETRY_MS))))
  })

/** A closed mailbox takes nobody's share: its attempt fails at once. */
const sharesOf = ({ ask, bounds }: WorkerParts, { delivery: sending, seq, given }: Message) =>
  Effect.map(orNone(ask(`send-${sending}-${seq}-${given}-share`, "mail_sending.share", sending, null)), (found) =>
    found === null
      ? []
      : [
          {
            name: `from ${found.agent}`,
            atOnce: bounds.sends_at_once_of_sender,
            held: bounds.sends_held_of_sender
          },
          {
            name: `to ${registrableDomainOf(found.domain)}`,
            atOnce: bounds.sends_at_once_to_domain,
            held: bounds.sends_held_to_domain
          }
        ]
  )

/** Fails where it is to come again. */
const sent = (
  { ask, route, made }: WorkerParts,
  { delivery: sending, seq, given }: Message,
  { hurry, isEnding }: { readonly hurry: Effect.Effect<void>; readonly isEnding: () => boolean }
): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const id = `send-${sending}-${seq}-${given}`
    // Nothing is begun that could not end.
    if (isEnding()) return yield* Effect.fail(ending)
    // Until an operator resumes, it waits in the queue.
    if ((yield* ask(`${id}-service`, "mail_service.look", SERVICE_ID, null)).paused_at !== null)
      return yield* Effect.fail(paused)
    const first = yield* ask(`${id}-take`, "mail_sending.take", sending, { repeatable: null })
    if (first.attempt === null && !first.lost) return
    // Behind the take: the commit that called for it may be here before its own actor has heard of it.
    const job = yield* orNone(ask(`${id}-job`, "mail_sending.job", sending, null))
    const transport = job === null ? null : yield* route(job.to)
    const repeatable = transport?.repeatable ?? true
    const { attempt } = first.lost
      ? yield* ask(`${id}-take-again`, "mail_sending.take", sending, { repeatable })
      : first
    if (attempt === null) return
    const outcome: SendOutcome =
      job === null || transport === null
        ? { type: "failed", reason: "its mailbox is closed" }
        : job.blocked !== null
          ? { type: job.blocked.type === "over" ? "failed" : "passing", reason: job.blocked.reason }
          : yield* attempted(made(sending, job, transport), transport, hurry)
    const tell = ask(`${id}-settle`, "mail_sending.settle", sending, { attempt, outcome })
    yield* Effect.retry(tell, { schedule: Schedule.spaced(TOLD_AGAIN_MS), times: TELLINGS_MAX })
    if ("reason" in outcome) logNow("info", "mail", { sending, outcome: outcome.type, reason: outcome.reason })
  })

/** What cannot be made now was surely not sent. */
const attempted = (
  making: Effect.Effect<Outgoing, Refusal>,
  transport: Transport,
  hurry: Effect.Effect<void>
): Effect.Effect<SendOutcome> =>
  Effect.matchEffect(making, {
    onFailure: ({ message }) => Effect.succeed<SendOutcome>({ type: "passing", reason: message }),
    onSuccess: (outgoing) =>
      Effect.map(transport.send(outgoing, hurry), (outcome) => told(outcome, transport.name === "local"))
  })
