/** Waiting for a condition, never for a time. */
import { setTimeout as delay } from "node:timers/promises"
import { inspect } from "node:util"

/** Only what never comes takes so long: a machine with a busy neighbour is ten times as slow as a quiet one. */
const DEADLINE_MS = 300_000
const PAUSE_MS = 20

export interface WaitOptions {
  readonly deadlineMs?: number
  /** What is waited for, in words, for the message when it does not come. */
  readonly describe?: string
}

/**
 * Calls the probe until it gives something truthy and returns that. A probe that throws counts as "not yet". When the
 * deadline passes, the error tells the last thing seen.
 */
export async function waitFor<A>(probe: () => A | Promise<A>, options: WaitOptions = {}): Promise<NonNullable<A>> {
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS
  const end = Date.now() + deadlineMs
  let seen: unknown = "nothing"
  for (;;) {
    try {
      const value = await probe()
      if (value) return value
      seen = value
    } catch (cause) {
      seen = cause
    }
    if (Date.now() > end) break
    await delay(PAUSE_MS)
  }
  throw new Error(
    `${options.describe ?? "the condition"} did not come within ${deadlineMs} ms; last seen: ${inspect(seen)}`
  )
}
