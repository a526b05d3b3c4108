/**
 * Read your writes: a write's answer waits until the read models have its commit, so that whoever calls any edge next
 * sees it. The projector announces its watermark after each transaction. The wait is bounded (`projected_wait_ms`); when
 * the watermark has stood still for STALLED_MS while something waited (Postgres is down), nobody waits at all.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { subjects } from "../../schemas/subjects.ts"
import type { ReadModels } from "./ports.ts"

const STALLED_MS = 1000

interface Waiter {
  readonly seq: number
  readonly resolve: () => void
  readonly since: number
}

export class Watermark implements ReadModels {
  private seq = 0
  private movedAt = 0
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
    this.sweep = setInterval(() => this.release(Date.now()), 25)
    this.sweep.unref()
  }

  reached(seq: number): Promise<void> {
    const now = Date.now()
    if (seq <= this.seq || now - this.movedAt > STALLED_MS && this.waiters.length > 0) return Promise.resolve()
    return new Promise((resolve) => this.waiters.push({ seq, resolve, since: now }))
  }

  private announce(seq: number): void {
    if (!(seq > this.seq)) return
    this.seq = seq
    this.movedAt = Date.now()
    this.release(this.movedAt)
  }

  private release(now: number): void {
    if (this.waiters.length === 0) return
    this.waiters = this.waiters.filter((waiter) => {
      if (waiter.seq > this.seq && now - waiter.since < this.waitMs) return true
      waiter.resolve()
      return false
    })
  }
}
