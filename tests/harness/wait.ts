/** Waiting for a condition, never for a time. */
import { setTimeout as delay } from "node:timers/promises"
import { inspect } from "node:util"

/** Only what never comes takes so long: a machine with a busy neighbour is ten times as slow as a quiet one. */
const DEADLINE_MS = 300_000
/**
 * What comes soon is seen soon. What takes long is asked for less often: a question costs both edges, a node and the test
 * as much as any request, and other files wait for the same cores.
 */
const PAUSE_MIN_MS = 20
const PAUSE_MAX_MS = 250
const PAUSE_SHARE = 0.1

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
  const begin = Date.now()
  let seen: unknown = "nothing"
  for (;;) {
    try {
      const value = await probe()
      if (value) return value
      seen = value
    } catch (cause) {
      seen = cause
    }
    const waited = Date.now() - begin
    if (waited > deadlineMs) break
    await delay(Math.min(Math.max(PAUSE_MIN_MS, waited * PAUSE_SHARE), PAUSE_MAX_MS))
  }
  throw new Error(
    `${options.describe ?? "the condition"} did not come within ${deadlineMs} ms; last seen: ${inspect(seen)}`
  )
}
