/**
 * Limits the bytes that an agent's own signed writes, or a person's writes, put into the log in a day (contract 19,
 * "Sizes").
 *
 * Invariant: a commit is checked before it is appended, and counted afterwards. A failed try costs nothing.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import type { Clock } from "effect"
import type { Limits } from "../../schemas/limits.ts"
import type { Meter } from "../engine/definition.ts"
import { spentBytes } from "./day.ts"
import { type DayBytes, dayBytes } from "./day-bytes.ts"

const LOG_BYTES = "log_bytes"

export const logBytesMeter = (
  clock: Clock.Clock,
  nats: NatsConnection,
  { limits }: Limits
): Meter<{ readonly logBytes: DayBytes }> => {
  const { admit, use } = dayBytes(clock, nats, LOG_BYTES, (limit, resetsAt, now) =>
    spentBytes(LOG_BYTES, "write", limit, resetsAt, now)
  )
  return {
    admit: (bytes, { id, memory: { logBytes } }) => admit(logBytes, id, bytes, { whole: limits.log_bytes_per_day }),
    spent: (bytes, { memory: { logBytes } }) => use(logBytes, bytes)
  }
}
