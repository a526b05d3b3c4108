/**
 * Makes requests that the service holds until there is an answer, and repeats them until the command's own time is
 * over.
 */
import { OWNER_MESSAGE_LIMITS } from "../../../schemas/owner/limits.ts"
import type { Invocation } from "./command.ts"
import { usage } from "./fault.ts"

const { held_seconds } = OWNER_MESSAGE_LIMITS

/** The timeout of a held request: the longest time that it is held, and a margin. */
export const HELD_TIMEOUT_MS = (held_seconds + 30) * 1000

const SECONDS = /^\d{1,4}$/
const PAUSE_MS = 2000

export const secondsOf = (invocation: Invocation, max: number, unsaid = 0): number => {
  const word = invocation.text("wait") ?? String(unsaid)
  if (!SECONDS.test(word) || Number(word) > max) throw usage(`--wait takes seconds, ${max} at most, not ${word}`)
  return Number(word)
}

export const untilOf = (seconds: number): number => performance.now() + seconds * 1000

/**
 * Repeats `ask` until it finds something or the time is over. `ask` gets the seconds for which its request may be held.
 * `isIdle`: the answer had nothing new. If it also came early, the service did not hold the request, and the next try
 * follows after a pause.
 */
export const askedUntil = async <A>(
  until: number,
  ask: (seconds: number) => Promise<{ readonly found: A | null; readonly isIdle: boolean }>
): Promise<A | null> => {
  while (performance.now() < until) {
    const seconds = Math.max(1, Math.min(held_seconds, Math.ceil((until - performance.now()) / 1000)))
    const begun = performance.now()
    const { found, isIdle } = await ask(seconds)
    if (found !== null) return found
    if (isIdle && performance.now() - begun < (seconds * 1000) / 2)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return null
}
