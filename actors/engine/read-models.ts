/**
 * Read your writes: a write's answer waits until the read models have its commit, so that whoever calls any edge next
 * sees it. The projector announces its watermark after each transaction. The wait is bounded (`projected_wait_ms`).
 * When the watermark has not moved during a whole wait (Postgres is down), one write at a time waits to see whether it
 * does again, and the others go on at once. While nothing is written it does not move either: that says nothing.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { subjects } from "../../schemas/subjects.ts"
import type { ReadModels } from "./ports.ts"

interface Waiter {
  readonly seq: number
  readonly resolve: () => void
  /** Of `performance.now()`. */
  readonly since: number
}

const SWEEP_MS = 25

export class Watermark implements ReadModels {
  private seq = 0
  private movedAt = Number.NEGATIVE_INFINITY
  /** A wait has ended without any move. */
  private stalled = false
  private waiters: Array<Waiter> = []
  private readonly waitMs: number
  private readonly sweep: NodeJS.Timeout

  constructor(nats: NatsConnection, waitMs: number) {
    this.waitMs = waitMs
    nats.subscribe(subjects.projected, {
      callback: (error, message) => {
        if (error === null) this.announce(Number(message.string()))
      }
    })
    this.sweep = setInterval(() => this.release(performance.now()), SWEEP_MS)
    this.sweep.unref()
  }

  reached(seq: number): Promise<void> {
    if (seq <= this.seq || (this.stalled && this.waiters.length > 0)) return Promise.resolve()
    return new Promise((resolve) => this.waiters.push({ seq, resolve, since: performance.now() }))
  }

  private announce(seq: number): void {
    if (!(seq > this.seq)) return
    this.seq = seq
    this.stalled = false
    this.movedAt = performance.now()
    this.release(this.movedAt)
  }

  private release(now: number): void {
    if (this.waiters.length === 0) return
    this.waiters = this.waiters.filter((waiter) => {
      if (waiter.seq > this.seq) {
        if (now - waiter.since < this.waitMs) return true
        if (this.movedAt < waiter.since) this.stalled = true
      }
      waiter.resolve()
      return false
    })
  }
}
