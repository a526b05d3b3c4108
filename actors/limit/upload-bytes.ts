/**
 * Limits the bytes of files and data that an agent uploads in a day (contract 19, "Sizes").
 *
 * Invariants
 *  - Each upload is counted exactly, and recorded in the stream of long windows before a byte of it is stored. Uploads
 *    are few and large, so no slices are needed.
 *  - The draws of one agent run one after the other. Sent bytes count even if the upload fails.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect, Semaphore } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { RateLimit } from "../../schemas/limit/bucket.ts"
import type { Limits } from "../../schemas/limits.ts"
import { DAY_SECONDS, lookedUp, spentBytes } from "./day.ts"
import { keepWindow, readWindow } from "./stored-windows.ts"
import { draw, type Window } from "./window.ts"

const UPLOAD_BYTES = "upload_bytes"

export interface UploadBytes {
  /** The window as it is stored; `null` if none is stored, `undefined` before the lookup. */
  window: Window | null | undefined
  readonly turn: Semaphore.Semaphore
}

export const newUploadBytes = (): UploadBytes => ({ window: undefined, turn: Semaphore.makeUnsafe(1) })

/** Draws this many bytes for an agent, or fails without drawing any. */
export const uploadDraw = (nats: NatsConnection, limits: Limits) => {
  const limit: RateLimit = { requests: limits.limits.upload_bytes_per_day, window_seconds: DAY_SECONDS }
  return (memory: UploadBytes, agent: string, bytes: number): Effect.Effect<void, Refusal> => {
    if (bytes === 0) return Effect.void
    const drawn = Effect.gen(function* () {
      if (memory.window === undefined) memory.window = yield* lookedUp(() => readWindow(nats, UPLOAD_BYTES, agent))
      const now = yield* Clock.currentTimeMillis
      const { granted, remaining, resetsAt, window } = draw(memory.window, limit, bytes, now)
      if (granted < bytes) return yield* Effect.fail(spentBytes(UPLOAD_BYTES, "upload", limit, resetsAt, now))
      yield* lookedUp(() => keepWindow(nats, UPLOAD_BYTES, agent, window, DAY_SECONDS))
      memory.window = window
      return remaining
    })
    return Effect.asVoid(memory.turn.withPermit(drawn))
  }
}
