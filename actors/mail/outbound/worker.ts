/**
 * Sends the mail of the queue: takes commits of `mail_sending` from the consumer that all mail processes share.
 *
 * Invariants (besides kit/worker/worker.ts)
 *  - An attempt is begun in the log before anything is sent. After a crash another process asks the actor. It allows a
 *    second attempt only if receiving the message twice does no harm (sending/decide.ts).
 *  - Each delivery of a message asks under ids of its own. The number of its deliveries begins anew after a restore, and
 *    the actor would answer a repeated id with the permission that it gave before.
 *  - A slow server occupies one place of `sends_at_once` for each attempt. One sender or one destination domain never
 *    has more than its share of the places (shares.ts).
 *  - When the scope closes, no attempt is begun, and attempts under way get less time.
 */
import { randomBytes } from "node:crypto"
import { Cause, Deferred, Effect, Schedule, type Scope } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { type SendJob, type SendOutcome, SERVICE_ID } from "../../../schemas/mail/sending-operations.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { registrableDomainOf } from "../../kit/registrable-domain.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import type { Message, Source } from "../../kit/worker/message.ts"
import { handleEach } from "../../kit/worker/worker.ts"
import type { Commit } from "../../log/commit.ts"
import { orNone } from "../or-none.ts"
import { MAIL_SENDING_EVENTS } from "../sending/state.ts"
import { Shares } from "./shares.ts"
import type { Outcome, Outgoing, Transport } from "./transport.ts"

export interface WorkerParts {
  readonly source: Source
  readonly ask: Asking
  /** Chosen by the recipient's address. */
  readonly route: (to: string) => Effect.Effect<Transport, Refusal>
  /** The bytes of a message for one recipient. Fails if they cannot be made now. */
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

const AGAIN_MS = 2000
const AGAIN_MAX_MS = 60_000
const TOLD_AGAIN_MS = 1000
const TELLINGS_MAX = 20
const LINGER_MS = 1500
const ID_BYTES = 8

const ending = unavailable("The process ends.")
const paused = unavailable("This service sends no mail at the moment.")

const text = new TextDecoder()

const CALLS = new Set(["mail_sending.queued", "mail_sending.due"])

/** Compares only the names of the events. The actor decides about newer versions of them. */
const callIn = (message: Message): Message | null | undefined => {
  if (message.data.length === 0) return null
  const { events }: Commit = JSON.parse(text.decode(message.data))
  if (!events.every(({ type }) => Object.hasOwn(MAIL_SENDING_EVENTS, type))) return undefined
  return events.some(({ type }) => CALLS.has(type)) ? message : null
}

const sendOutcome = (outcome: Outcome, own: boolean): SendOutcome => {
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
    const places = new Shares(bounds.sends_at_once)
    const hurry = yield* Deferred.make<void>()
    yield* handleEach({
      source,
      heldMax: bounds.sends_held_max,
      ackWaitMs: bounds.send_ack_wait_ms,
      lingerMs: LINGER_MS,
      callIn,
      handle: (message, _call, isLost) =>
        Effect.flatMap(sharesOf(parts, message), (shares) =>
          places.using(
            shares,
            // Another process may have begun the attempt meanwhile. Asking for it here would end that one as lost.
            Effect.suspend(() => (isLost() ? Effect.interrupt : sent(parts, message, hurry)))
          )
        ),
      // An interrupted attempt comes again after the queue's own wait, because its report may still be on the way.
      againMs: ({ given }, cause) => (Cause.hasFails(cause) ? Math.min(AGAIN_MS * given, AGAIN_MAX_MS) : null),
      end: () => Deferred.doneUnsafe(hurry, Effect.void)
    })
  })

/** Empty if the mailbox is closed: such an attempt fails without a connection. */
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

/** Fails if the message has to be delivered to a worker again. */
const sent = (
  { ask, route, made }: WorkerParts,
  { delivery: sending, seq }: Message,
  hurry: Deferred.Deferred<void>
): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const id = `send-${sending}-${seq}-${randomBytes(ID_BYTES).toString("hex")}`
    // No attempt is begun that could not end in time.
    if (Deferred.isDoneUnsafe(hurry)) return yield* Effect.fail(ending)
    // The message waits in the queue until an operator resumes sending.
    if ((yield* ask(`${id}-service`, "mail_service.look", SERVICE_ID, null)).paused_at !== null)
      return yield* Effect.fail(paused)
    const first = yield* ask(`${id}-take`, "mail_sending.take", sending, { repeatable: null })
    if (first.attempt === null && !first.lost) return
    // Read after the take: the commit may arrive here before the sending's own actor knows of it.
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
          : yield* attempted(made(sending, job, transport), transport, Deferred.await(hurry))
    const tell = ask(`${id}-settle`, "mail_sending.settle", sending, { attempt, outcome })
    yield* Effect.retry(tell, { schedule: Schedule.spaced(TOLD_AGAIN_MS), times: TELLINGS_MAX })
    if ("reason" in outcome) logNow("info", "mail", { sending, outcome: outcome.type, reason: outcome.reason })
  })

/** Makes a message and sends it. One that cannot be made now is tried again later. */
const attempted = (
  making: Effect.Effect<Outgoing, Refusal>,
  transport: Transport,
  hurry: Effect.Effect<void>
): Effect.Effect<SendOutcome> =>
  Effect.matchEffect(making, {
    onFailure: ({ message }) => Effect.succeed<SendOutcome>({ type: "passing", reason: message }),
    onSuccess: (outgoing) =>
      Effect.map(transport.send(outgoing, hurry), (outcome) => sendOutcome(outcome, transport.name === "local"))
  })
