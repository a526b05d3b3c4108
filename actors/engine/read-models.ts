/**
 * Read your writes: a write's answer waits until the read models have its commits, so that whoever calls any edge next
 * sees it.
 *
 * Invariants
 *  - Each projection announces its watermark after each batch. A commit is waited for at every projection that reads its
 *    kind, and at no other: those move with their own kinds alone.
 *  - The wait is bounded (`projected_wait_ms`). When a watermark has not moved during a whole wait (Postgres is down),
 *    one write at a time waits to see whether it does again, and the others go on at once. While nothing is written it
 *    does not move either: that says nothing.
 *  - A watermark without a projection's name is that of a release that kept one for all.
 */
import { type MsgHdrs, headers, type NatsConnection } from "@nats-io/transport-node"
import { subjects } from "../../schemas/subjects.ts"
import type { ReadModels, Written } from "./ports.ts"

interface Waiter {
  readonly seq: number
  readonly resolve: () => void
  /** Of `performance.now()`. */
  readonly since: number
}

const SWEEP_MS = 25
const PROJECTION_HEADER = "Hub-Projection"

/** As a projector does after each batch. */
export const announce = (nats: NatsConnection, projection: string, seq: number): void => {
  const named: MsgHdrs = headers()
  named.set(PROJECTION_HEADER, projection)
  nats.publish(subjects.projected, String(seq), { headers: named })
}

/** Of one projection. */
class Mark {
  private seq = 0
  private movedAt = Number.NEGATIVE_INFINITY
  /** A wait has ended without any move. */
  private stalled = false
  private waiters: Array<Waiter> = []
  private readonly waitMs: number

  constructor(waitMs: number) {
    this.waitMs = waitMs
  }

  /** `null`: there is nothing to wait for. */
  reached(seq: number): Promise<void> | null {
    if (seq <= this.seq || (this.stalled && this.waiters.length > 0)) return null
    return new Promise((resolve) => this.waiters.push({ seq, resolve, since: performance.now() }))
  }

  announced(seq: number): void {
    if (!(seq > this.seq)) return
    this.seq = seq
    this.stalled = false
    this.movedAt = performance.now()
    this.release(this.movedAt)
  }

  release(now: number): void {
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

export class Watermarks implements ReadModels {
  private readonly marks: ReadonlyMap<string, Mark>
  private readonly readers: ReadonlyMap<string, ReadonlyArray<string>>
  private readonly sweep: NodeJS.Timeout

  /** `readers`: by kind, the projections that read its commits. */
  constructor(nats: NatsConnection, waitMs: number, readers: ReadonlyMap<string, ReadonlyArray<string>>) {
    this.readers = readers
    this.marks = new Map([...readers.values()].flat().map((projection) => [projection, new Mark(waitMs)]))
    nats.subscribe(subjects.projected, {
      callback: (error, message) => {
        if (error !== null) return
        const seq = Number(message.string())
        const projection = message.headers?.get(PROJECTION_HEADER) ?? ""
        if (projection !== "") this.marks.get(projection)?.announced(seq)
        else for (const mark of this.marks.values()) mark.announced(seq)
      }
    })
    this.sweep = setInterval(() => {
      const now = performance.now()
      for (const mark of this.marks.values()) mark.release(now)
    }, SWEEP_MS)
    this.sweep.unref()
  }

  async reached(written: ReadonlyArray<Written>): Promise<void> {
    const waits: Array<Promise<void>> = []
    for (const [projection, seq] of this.wanted(written)) {
      const wait = this.marks.get(projection)?.reached(seq)
      if (wait !== null && wait !== undefined) waits.push(wait)
    }
    await Promise.all(waits)
  }

  /** The sequence that each projection must reach. */
  private wanted(written: ReadonlyArray<Written>): ReadonlyMap<string, number> {
    const wanted = new Map<string, number>()
    for (const { kind, seq } of written)
      for (const projection of this.readers.get(kind) ?? [])
        wanted.set(projection, Math.max(seq, wanted.get(projection) ?? 0))
    return wanted
  }
}
