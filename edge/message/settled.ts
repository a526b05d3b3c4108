/**
 * Lists messages without those above a number that may still be committed (actors/message/gaps.ts). The list waits for
 * the messages that exist when the request arrives, so that writers see their own. Most gaps end within milliseconds.
 *
 * Invariants
 *  - A waiting request holds neither a query's place nor records of lists.
 *  - All waiting lists of a client may continue at once. Those beyond its share wait longer: only the first and the
 *    last try may refuse.
 */
import { Effect } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import { isTooMany, type ListPage, type Lists } from "../bus/lists.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"

/** The pauses between checks. Together they are longer than a gap can last (actors/message/closer.ts). */
const PAUSES_MS = [10, 20, 40, 80, 160, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200]

const NOTHING = Effect.succeed(null)

/** After the last pause, the list ends below the first gap. */
export const settledMessages = (
  lists: Lists,
  call: Call,
  asked: Omit<Queries["messages"]["input"], "until">
): Effect.Effect<ListPage, Refused> =>
  Effect.gen(function* () {
    let until: number | null = null
    for (const pause of PAUSES_MS) {
      const look: Effect.Effect<ListPage, Refused> = lists.page(call, "messages", { ...asked, until })
      const found: ListPage | null = yield* until === null ? look : Effect.catchIf(look, isTooMany, () => NOTHING)
      if (found !== null && found.held === undefined) return found
      until = found?.held ?? until
      yield* Effect.sleep(pause)
    }
    return yield* lists.page(call, "messages", asked)
  })
