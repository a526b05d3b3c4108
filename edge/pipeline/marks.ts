/** Reads the watermarks of the read models, once for many requests. */
import { type Clock, Effect } from "effect"
import type { Bus } from "../bus/bus.ts"
import { wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"

const WAIT_MS = 400
/** Milliseconds after a missing answer in which requests do not wait for another one. */
const SILENT_MS = 2000

const SILENCE = Promise.resolve(null)

export class Marks {
  private readonly clock: Clock.Clock
  private readonly bus: Pick<Bus, "query">
  private underWay: Promise<unknown> = Promise.resolve()
  private next: Promise<string | null> | null = null
  /** Monotonic ms. */
  private silentUntil = 0

  constructor(clock: Clock.Clock, bus: Pick<Bus, "query">) {
    this.clock = clock
    this.bus = bus
  }

  /**
   * The watermarks, read after this call; `null` if they are not known. One query is under way at a time, and calls
   * that arrive meanwhile share the next one.
   */
  current(): Promise<string | null> {
    if (monotonicMs(this.clock) < this.silentUntil) return SILENCE
    if (this.next !== null) return this.next
    const asked = this.underWay.then(() => {
      this.next = null
      return this.ask()
    })
    this.next = asked
    this.underWay = asked
    return asked
  }

  /** Never rejects. Every failure counts as no answer. */
  private async ask(): Promise<string | null> {
    const asked = this.bus.query({ deadline: wallMs(this.clock) + WAIT_MS, call: null }, "marks", null)
    const answer = await Effect.runPromise(Effect.catchCause(asked, () => Effect.succeed(null)))
    if (answer === null) this.silentUntil = monotonicMs(this.clock) + SILENT_MS
    return answer
  }
}
