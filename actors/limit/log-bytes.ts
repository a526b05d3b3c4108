/**
 * Bytes that an agent's own signed writes put into the log, a day (contract 19, "Sizes"); and those of a person.
 *
 * Invariants
 *  - The day's window is kept in the stream of long windows: it says what was drawn, in slices, before any of it is
 *    used. An activation that is lost loses what is left of its slice, so slices begin small and double while they are
 *    used up.
 *  - A commit is admitted before it is appended and counted after it was: a try that failed costs nothing.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { type Clock, Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { RateLimit } from "../../schemas/limit/bucket.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Meter } from "../engine/definition.ts"
import { DAY_SECONDS, lookedUp, spentBytes } from "./day.ts"
import { keepWindow, keptWindow } from "./kept.ts"
import { draw, type Window } from "./window.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"

export const LOG_BYTES = "log_bytes"
const SLICE_FIRST_BYTES = 8192
const SLICE_MAX_BYTES = 262_144

export interface LogBytes {
  /** As kept; `undefined` before it was looked up. */
  window: Window | null | undefined
  /** Of the slice that was drawn last. */
  left: number
  slice: number
}

export const newLogBytes = (): LogBytes => ({ window: undefined, left: 0, slice: SLICE_FIRST_BYTES })

export const logBytesMeter = (
  clock: Clock.Clock,
  nats: NatsConnection,
  limits: Limits
): Meter<{ readonly logBytes: LogBytes }> => {
  const limit: RateLimit = { requests: limits.limits.log_bytes_per_day, window_seconds: DAY_SECONDS }

  const drawMore = (memory: LogBytes, owner: string, missing: number): Effect.Effect<void, Refusal> =>
    Effect.gen(function* () {
      const now = wallMs(clock)
      memory.window ??= yield* lookedUp(() => keptWindow(nats, LOG_BYTES, owner))
      const room = draw(memory.window, limit, 0, now)
      if (room.remaining < missing) return yield* Effect.fail(spentBytes(LOG_BYTES, "write", limit, room.resetsAt, now))
      const drawn = draw(memory.window, limit, Math.min(room.remaining, Math.max(missing, memory.slice)), now)
      yield* lookedUp(() => keepWindow(nats, LOG_BYTES, owner, drawn.window, DAY_SECONDS))
      memory.window = drawn.window
      memory.left += drawn.granted
      memory.slice = Math.min(memory.slice * 2, SLICE_MAX_BYTES)
    })

  /** What is left of a slice belongs to the window that it was drawn from. */
  const isOver = ({ window }: LogBytes): boolean =>
    window !== undefined && window !== null && wallMs(clock) >= window.from + DAY_SECONDS * 1000

  return {
    admit: (bytes, { id, memory: { logBytes } }) => {
      if (isOver(logBytes)) Object.assign(logBytes, { window: null, left: 0 })
      return bytes <= logBytes.left ? Effect.void : drawMore(logBytes, id, bytes - logBytes.left)
    },
    spent: (bytes, { memory: { logBytes } }) => {
      logBytes.left = Math.max(0, logBytes.left - bytes)
    }
  }
}
