/**
 * Shares (shares.ts) that a call holds until its answer is sent, because an answer that the client does not read stays
 * in memory.
 *
 * Invariant: they are freed once, at the latest `HELD_MAX_MS` after the answer. The limit is needed because an answer
 * that waits behind another one gets no event when their connection breaks.
 */
import type { ServerResponse } from "node:http"
import type { Call } from "./call.ts"
import { after } from "../../schemas/runtime/clock.ts"

const HELD_MAX_MS = 60_000

/** Gives the shares back when the response closes, at the latest after `HELD_MAX_MS`. */
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
