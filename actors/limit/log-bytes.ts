/**
 * Limits the bytes that an agent's own signed writes, or a person's writes, put into the log in a day (contract 19,
 * "Sizes").
 *
 * Invariant: a commit is checked before it is appended, and counted afterwards. A failed try costs nothing.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import type { Clock, Effect } from "effect"
import type { Limits } from "../../schemas/limits.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Meter, Metered } from "../engine/definition.ts"
import { spentBytes } from "./day.ts"
import { type DayBytes, dayBytes, shareOf } from "./day-bytes.ts"

const LOG_BYTES = "log_bytes"

type By = Parameters<typeof shareOf>[1]

/** `by`: who the bytes count for, if another actor writes them. */
export interface LogBytesMeter<Memory = { readonly logBytes: DayBytes }> extends Meter<Memory> {
  admit(bytes: number, of: Metered<Memory>, by?: By): Effect.Effect<void, Refusal>
  spent(bytes: number, of: Metered<Memory>, by?: By): void
}

export const logBytesMeter = (clock: Clock.Clock, nats: NatsConnection, { limits }: Limits): LogBytesMeter => {
  const whole = limits.log_bytes_per_day
  const { admit, use } = dayBytes(clock, nats, LOG_BYTES, (limit, resetsAt, now) => {
    const does = limit.requests < whole ? "with the tokens of a vault together write" : "write"
    return spentBytes(LOG_BYTES, does, limit, resetsAt, now)
  })
  return {
    admit: (bytes, { id, memory: { logBytes } }, by = {}) => admit(logBytes, id, bytes, shareOf(whole, by)),
    spent: (bytes, { memory: { logBytes } }, by = {}) => use(logBytes, bytes, shareOf(whole, by))
  }
}
