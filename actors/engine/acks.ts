/**
 * Requests whose answers come to one standing subscription, for the paths on which every microsecond counts: the
 * client's own `request` makes two errors with stack traces ahead of each call. Bounded by who calls it: the log has
 * one batch in flight, the nonce log one message.
 */
import { setTimeout as delay } from "node:timers/promises"
import type { Msg, MsgHdrs, NatsConnection } from "@nats-io/transport-node"
import { Slots } from "../../schemas/runtime/bus/slots.ts"
import { newInbox } from "./inbox.ts"
import { LEADERLESS_PAUSE_MS, onRenewal } from "./renewal.ts"

const SWEEP_MS = 100

interface Waiting {
  readonly resolve: (message: Msg | null) => void
  readonly until: number
}

export class Acks {
  private readonly nats: NatsConnection
  private prefix = ""
  private readonly waiting = new Slots<Waiting>()
  private listening = false

  constructor(nats: NatsConnection) {
    this.nats = nats
  }

  /**
   * The answer, or `null` when none came in time or the connection was renewed meanwhile. "No responders" is an answer
   * with that status.
   */
  request(subject: string, payload: Uint8Array, timeoutMs: number, headers?: MsgHdrs): Promise<Msg | null> {
    return new Promise((resolve) => {
      const number = this.waiting.add({ resolve, until: performance.now() + timeoutMs })
      try {
        this.listen()
        const reply = this.prefix + number
        this.nats.publish(subject, payload, headers === undefined ? { reply } : { reply, headers })
      } catch {
        this.settle(number, null)
      }
    })
  }

  /**
   * To a stream: again while nobody listens, for one without a leader has received nothing. `null` also when its time
   * is up so.
   */
  async requestStream(subject: string, payload: Uint8Array, timeoutMs: number, headers?: MsgHdrs): Promise<Msg | null> {
    const end = performance.now() + timeoutMs
    for (let left = timeoutMs; left > 0; left = end - performance.now()) {
      const reply = await this.request(subject, payload, left, headers)
      if (reply === null || reply.data.length > 0) return reply
      await delay(LEADERLESS_PAUSE_MS)
    }
    return null
  }

  /** From the first request on: an actor kind is made of such parts, and making one reaches for nothing. */
  private listen(): void {
    if (this.listening) return
    this.prefix = `${newInbox(this.nats)}.`
    this.nats.subscribe(`${this.prefix}*`, {
      callback: (error, message) => {
        if (error === null) this.settle(Number(message.subject.slice(this.prefix.length)), message)
      }
    })
    this.listening = true
    setInterval(() => this.sweep(), SWEEP_MS).unref()
    onRenewal(this.nats, () => this.giveUp())
  }

  private settle(number: number, message: Msg | null): void {
    this.waiting.take(number)?.resolve(message)
  }

  private giveUp(): void {
    this.waiting.forEach((_entry, number) => this.settle(number, null))
  }

  private sweep(): void {
    const now = performance.now()
    this.waiting.forEach((entry, number) => {
      if (now >= entry.until) this.settle(number, null)
    })
  }
}
