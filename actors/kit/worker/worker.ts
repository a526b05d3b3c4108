/**
 * A worker on a durable consumer that all workers of its kind share.
 *
 * Invariants
 *  - A message is acknowledged when its work is done, and given back when the work fails. The server delivers a message
 *    again if it is not settled within `ackWaitMs`. So work may be done twice, but is never lost.
 *  - A message that needs no work is acknowledged immediately. One that this release cannot read is left to a newer
 *    release.
 *  - The worker holds at most `held_max` messages, and fetches only while it has room for `fetch_room_min`.
 *  - The worker reports progress on the messages that it holds three times within `ackWaitMs`. Only a silent worker
 *    loses its messages. A handler that lets work wait asks `isLost` before it begins (held.ts).
 *  - A message that comes again while it is held is not begun a second time.
 *  - When the scope closes, the worker first ends its fetch and gives back what still comes. Then `end` runs. Work
 *    under way has `lingerMs` to end, and what is left is interrupted.
 */
import { type Cause, Clock, Effect, Exit, Fiber, FiberSet, Schedule, type Scope } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import { monotonicMs } from "../../../schemas/runtime/clock.ts"
import { HeldMessages, type HeldBounds } from "./held.ts"
import type { Message, Source } from "./message.ts"

const STRANGE_MS = 5000
const FETCH_RETRY_MS = 250

interface Consumed<Call> {
  readonly source: Source
  readonly ackWaitMs: number
  readonly lingerMs: number
  /** `null`: the message needs no work. `undefined`: a newer release wrote it. */
  readonly callIn: (message: Message) => Call | null | undefined
}

export type Run = <A, E>(work: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

interface Work<Call> {
  /** Begins the work, which eventually settles the message. `isFirst`: no worker has begun it before. */
  readonly begin: (message: Message, call: Call, isFirst: boolean) => void
  readonly end?: (() => void) | undefined
}

export const openWorker = <Call, Opened extends Work<Call>>(
  { source, ackWaitMs, lingerMs, callIn, bounds }: Consumed<Call> & { readonly bounds: HeldBounds },
  open: (held: HeldMessages, run: Run) => Opened
): Effect.Effect<Opened, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const held = new HeldMessages(bounds, clock, ackWaitMs)
    const working = Effect.sync(() => held.sayWorking())
    yield* Effect.forkScoped(Effect.repeat(working, Schedule.spaced(Math.ceil(ackWaitMs / 3))))
    const underWay = yield* FiberSet.make()
    const work = open(held, yield* FiberSet.runtime(underWay)())
    let isEnding = false
    const take = (message: Message, askedAt: number): void => {
      const call = callIn(message)
      if (call === undefined) return message.nak(STRANGE_MS)
      if (call === null) return message.ack()
      if (isEnding) return message.nak(0)
      // The server may deliver a message again, for example after the connection was down.
      if (held.has(message)) return
      work.begin(message, call, held.hold(message, askedAt))
    }
    const some = Effect.andThen(
      held.roomy,
      Effect.suspend(() => {
        const askedAt = monotonicMs(clock)
        return source.fetch(held.room, (message) => take(message, askedAt))
      })
    )
    const fetching = yield* Effect.forkScoped(
      Effect.orDie(Effect.retry(Effect.forever(some), Schedule.spaced(FETCH_RETRY_MS)))
    )
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        isEnding = true
        yield* Fiber.interrupt(fetching)
        work.end?.()
        yield* Effect.timeoutOption(FiberSet.awaitEmpty(underWay), lingerMs)
      })
    )
    return work
  })

interface Handled<Call> extends Consumed<Call>, Pick<Work<Call>, "end"> {
  readonly heldMax: number
  /** `isLost`: another worker may have the message by now, because this process was frozen (held.ts). */
  readonly handle: (message: Message, call: Call, isLost: () => boolean) => Effect.Effect<void, Refusal>
  /** The delay in ms of a message whose handling failed; `null`: it comes again after `ackWaitMs`. */
  readonly againMs: (message: Message, cause: Cause.Cause<Refusal>) => number | null
}

/** A worker that handles each message by one Effect. It handles all messages that it holds at the same time. */
export const handleEach = <Call>({
  heldMax,
  handle,
  againMs,
  end,
  ...consumed
}: Handled<Call>): Effect.Effect<void, never, Scope.Scope> => {
  const bounds = { held_max: heldMax, fetch_room_min: 1, ack_pending_max: heldMax }
  return Effect.asVoid(
    openWorker({ ...consumed, bounds }, (held, run) => ({
      end,
      begin: (message: Message, call: Call) =>
        run(handle(message, call, () => held.isLost(message))).addObserver((exit) => {
          if (Exit.isSuccess(exit)) held.ack(message)
          else held.nak(message, againMs(message, exit.cause))
        })
    }))
  )
}
