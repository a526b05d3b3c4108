/** Asks for the read models' watermarks, once for many requests. */
import { type Clock, Effect } from "effect"
import type { Bus } from "../bus/bus.ts"
import { wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"

/** An answer that takes longer serves nobody: the tables are asked instead. */
const WAIT_MS = 400
/** After one that did not come nobody waits for another for so long. */
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
   * As they are after this call at the earliest; `null` if nobody can tell. One query is under way at a time: whoever
   * comes meanwhile waits for the one after it, together with all others.
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

  /** Never rejects: whatever fails, and however, is no answer. */
  private async ask(): Promise<string | null> {
    const asked = this.bus.query({ deadline: wallMs(this.clock) + WAIT_MS }, "marks", null)
    const answer = await Effect.runPromise(Effect.catchCause(asked, () => Effect.succeed(null)))
    if (answer === null) this.silentUntil = monotonicMs(this.clock) + SILENT_MS
    return answer
  }
}
