/** How far the read models are, asked for many requests at once. */
import { Effect } from "effect"
import type { Bus } from "../bus/bus.ts"

/** An answer that takes longer serves nobody: the tables are asked instead. */
const WAIT_MS = 400
/** After one that did not come nobody waits for another for so long. */
const SILENT_MS = 2000

const SILENCE = Promise.resolve(null)

export class Marks {
  private readonly bus: Pick<Bus, "query">
  private underWay: Promise<unknown> = Promise.resolve()
  private next: Promise<string | null> | null = null
  /** Of `performance.now()`. */
  private silentUntil = 0

  constructor(bus: Pick<Bus, "query">) {
    this.bus = bus
  }

  /**
   * As they are after this call at the earliest; `null` where nobody can tell. One query is under way at a time: whoever
   * comes meanwhile waits for the one after it, together with all others.
   */
  current(): Promise<string | null> {
    if (performance.now() < this.silentUntil) return SILENCE
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
    const asked = this.bus.query({ deadline: Date.now() + WAIT_MS }, "marks", null)
    const answer = await Effect.runPromise(Effect.catchCause(asked, () => Effect.succeed(null)))
    if (answer === null) this.silentUntil = performance.now() + SILENT_MS
    return answer
  }
}
