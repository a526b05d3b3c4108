/** Waits for conditions, never for a fixed time. */
import { setTimeout as delay } from "node:timers/promises"
import { inspect } from "node:util"
import { patience } from "../../ops/launcher/patience.ts"

/** Only a condition that never holds takes this long: a busy machine can be ten times as slow as an idle one. */
const DEADLINE_MS = 300_000
/**
 * The pause grows with the time that has passed. A fast result is noticed at once, and slow ones are polled less often,
 * because polling takes processor time from other files.
 */
const PAUSE_MIN_MS = 20
const PAUSE_MAX_MS = 250
const PAUSE_SHARE = 0.1

export interface WaitOptions {
  readonly deadlineMs?: number
  /** The condition in words, for the error message. */
  readonly describe?: string
}

/**
 * Calls the probe until it returns a truthy value, and returns that. A probe that throws counts as "not yet". When the
 * deadline passes, the error contains the last value or error.
 */
export async function waitFor<A>(probe: () => A | Promise<A>, options: WaitOptions = {}): Promise<NonNullable<A>> {
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS
  const isOver = patience(deadlineMs)
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
    if (isOver()) break
    const waited = Date.now() - begin
    await delay(Math.min(Math.max(PAUSE_MIN_MS, waited * PAUSE_SHARE), PAUSE_MAX_MS))
  }
  throw new Error(
    `${options.describe ?? "the condition"} did not come within ${deadlineMs} ms; last seen: ${inspect(seen)}`
  )
}
