/**
 * Numbers that are never given twice (spec 2.1): JetStream counters. Gaps are fine, reuse never happens.
 *
 * Numbers that are asked for while a draw is under way come from the next draw, in the order of asking. So they grow
 * with time, and a busy node asks the server once for many. Blocks that are kept for later would not grow with time: a
 * list of all that came since a number would miss what another node gives out after it.
 */
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { subjects } from "../../schemas/subjects.ts"
import { requestStream } from "./requests.ts"

const TIMEOUT_MS = 3000
/** Numbers of one draw. */
const DRAW_MAX = 1000

/** The newest of so many. */
const increment = async (nats: NatsConnection, name: string, by: number): Promise<number> => {
  const more = headers()
  more.set("Nats-Incr", String(by))
  const reply = await requestStream(nats, subjects.counter(name), undefined, { headers: more, timeout: TIMEOUT_MS })
  const ack = reply.json<{ val?: string; error?: { description?: string } }>()
  if (ack.val === undefined)
    throw new Error(`The counter ${name} gave no number: ${ack.error?.description ?? "unknown error"}`)
  return Number(ack.val)
}

interface Waiting {
  readonly resolve: (number: number) => void
  readonly reject: (error: unknown) => void
}

class Counter {
  private readonly draw: (count: number) => Promise<number>
  private waiting: Array<Waiting> = []
  private drawing = false

  constructor(draw: (count: number) => Promise<number>) {
    this.draw = draw
  }

  next(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject })
      if (this.drawing) return
      this.drawing = true
      // The same turn of the event loop may ask for more.
      setImmediate(() => void this.drawAll())
    })
  }

  private async drawAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const together = this.waiting.splice(0, DRAW_MAX)
      try {
        const first = (await this.draw(together.length)) - together.length + 1
        for (const [index, { resolve }] of together.entries()) resolve(first + index)
      } catch (error) {
        for (const { reject } of together) reject(error)
      }
    }
    this.drawing = false
  }
}

const countersOf = new WeakMap<NatsConnection, Map<string, Counter>>()

/** Rejects when the counter does not answer in time: what it may have drawn is a gap. */
export const nextNumber = (nats: NatsConnection, name: string): Promise<number> => {
  const counters = countersOf.get(nats) ?? new Map<string, Counter>()
  countersOf.set(nats, counters)
  const counter = counters.get(name) ?? new Counter((count) => increment(nats, name, count))
  counters.set(name, counter)
  return counter.next()
}
