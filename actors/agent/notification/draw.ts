/**
 * Takes the number of a notification from the counter `notification`. A number is never given twice, and numbers grow
 * along each agent's log. A command takes one each time it is tried, so gaps are normal.
 */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import { Counters } from "../../engine/services.ts"
import type { NoticeFacts } from "./notify.ts"

export const drawNotification: Effect.Effect<NoticeFacts, Refusal, Counters> = Effect.flatMap(Counters, (counters) =>
  Effect.map(counters.next("notification"), (notification) => ({ notification }))
)

/** For commands that notify nobody. */
export const NO_NOTIFICATION: Effect.Effect<NoticeFacts> = Effect.succeed({ notification: 0 })
