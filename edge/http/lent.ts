/**
 * Shares (shares.ts) that a call holds until its answer is sent: a reader that takes nothing of it keeps the answer in
 * memory.
 *
 * Invariant: they are given back once, at the latest `HELD_MAX_MS` behind the answer. An answer that waits behind
 * another one on a broken connection never hears of the break.
 */
import type { ServerResponse } from "node:http"
import type { Call } from "./call.ts"
import { after } from "../../schemas/runtime/clock.ts"

const HELD_MAX_MS = 60_000

/** Once the call has ended, with whatever answer. */
export const giveBackOnceSent = ({ clock, lent }: Call, response: ServerResponse): void => {
  if (lent.length === 0) return
  const giveBack = (): void => {
    cancel()
    response.off("close", giveBack)
    for (const give of lent.splice(0)) give()
  }
  const cancel = after(clock, HELD_MAX_MS, giveBack, "unref")
  if (response.closed) giveBack()
  else response.once("close", giveBack)
}
