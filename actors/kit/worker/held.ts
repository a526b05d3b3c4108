/**
 * The messages that a worker has fetched and not settled yet.
 *
 * Invariants
 *  - Their number is limited (`held_max`). The worker fetches while there is room for at least `fetch_room_min`.
 *  - Each is settled once: acknowledged or returned. Later calls for it have no effect.
 *  - A message is lost if the worker was silent about it for `ackWaitMs`, because the process was frozen. The server
 *    may have given it to another worker, so webhooks and mail are not begun here then.
 */
import { type Clock, type Effect, Latch } from "effect"
import type { Limits } from "../../../schemas/limits.ts"
import { monotonicMs } from "../../../schemas/runtime/clock.ts"
import type { Message } from "./message.ts"

/** The first delay of a message whose actor could not be asked. It grows each time. */
const AGAIN_MS = 1000
const AGAIN_MAX_MS = 60_000
/** The first delay of a message whose receiver has no room. It grows each time. */
const BUSY_MS = 250
const BUSY_MAX_MS = 2000

export type HeldBounds = Pick<Limits["webhook"], "held_max" | "fetch_room_min" | "ack_pending_max">

interface Held {
  readonly message: Message
  /** Monotonic ms of the last sign of life. Until the first one, it is the time at which the message was asked for. */
  saidAt: number
  wasSilent: boolean
}

export class HeldMessages {
  private readonly bounds: HeldBounds
  private readonly clock: Clock.Clock
  private readonly ackWaitMs: number
  private readonly messages = new Map<number, Held>()
  /**
   * Messages that were returned before any work, for lack of room. If one comes back as the next delivery, no other
   * worker has had it.
   */
  private readonly givenBack = new Map<number, number>()
  private readonly mayFetch = Latch.makeUnsafe(true)

  constructor(bounds: HeldBounds, clock: Clock.Clock, ackWaitMs: number) {
    this.bounds = bounds
    this.clock = clock
    this.ackWaitMs = ackWaitMs
  }

  get size(): number {
    return this.messages.size
  }

  get room(): number {
    return this.bounds.held_max - this.messages.size
  }

  get roomy(): Effect.Effect<void> {
    return this.mayFetch.await
  }

  has({ seq }: Message): boolean {
    return this.messages.has(seq)
  }

  /**
   * Adds a message. `askedAt`: the monotonic time (ms) at which the server was asked for it. Returns true if certainly
   * no worker has begun it before.
   */
  hold(message: Message, askedAt: number): boolean {
    const { seq, given } = message
    this.messages.set(seq, { message, saidAt: askedAt, wasSilent: false })
    if (!this.hasRoom) this.mayFetch.closeUnsafe()
    const untouched = this.givenBack.get(seq) ?? 0
    this.givenBack.delete(seq)
    return given === untouched + 1 && !this.isLost(message)
  }

  /** True if the server may have given the message to another worker since it came here. */
  isLost({ seq }: Message): boolean {
    const held = this.messages.get(seq)
    return held !== undefined && (held.wasSilent || this.now() - held.saidAt >= this.ackWaitMs)
  }

  /** Lets go of a lost message. If no other worker has taken it, the server delivers it again. */
  letGo(message: Message): void {
    this.nak(message, null)
  }

  ack(message: Message): void {
    this.settle(message, message.ack)
  }

  /**
   * Returns a message to the server. A delay of `null`: nothing is sent, and the server delivers the message again
   * after `ackWaitMs`.
   */
  nak(message: Message, afterMs: number | null): void {
    this.settle(message, () => (afterMs === null ? undefined : message.nak(afterMs)))
  }

  again(message: Message): void {
    this.nak(message, Math.min(AGAIN_MS * message.given, AGAIN_MAX_MS))
  }

  giveBack(message: Message): void {
    // Another worker may have taken the oldest ones, so they would stay here for ever.
    const [oldest] = this.givenBack.keys()
    if (oldest !== undefined && this.givenBack.size >= this.bounds.ack_pending_max) this.givenBack.delete(oldest)
    this.givenBack.set(message.seq, message.given)
    this.nak(message, Math.min(BUSY_MS * message.given, BUSY_MAX_MS))
  }

  sayWorking(): void {
    for (const held of this.messages.values()) {
      held.wasSilent = this.isLost(held.message)
      held.saidAt = this.now()
      held.message.working()
    }
  }

  private now(): number {
    return monotonicMs(this.clock)
  }

  private get hasRoom(): boolean {
    const { held_max, fetch_room_min } = this.bounds
    return this.room >= Math.min(held_max, fetch_room_min)
  }

  private settle({ seq }: Message, how: () => void): void {
    if (!this.messages.delete(seq)) return
    how()
    if (this.hasRoom) this.mayFetch.openUnsafe()
  }
}
