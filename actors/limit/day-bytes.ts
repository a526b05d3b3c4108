/**
 * Bytes that an owner may use in a day, counted in slices.
 *
 * Invariant: the day's window is kept in the stream of long windows. A slice is recorded there before any of it is
 * used. A lost activation loses the rest of its slice, so slices begin small and double while they are used up.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { type Clock, Effect, Semaphore } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { RateLimit } from "../../schemas/limit/bucket.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { DAY_SECONDS, lookedUp } from "./day.ts"
import { keepWindow, readWindow } from "./stored-windows.ts"
import { draw, type Window } from "./window.ts"

const SLICE_FIRST_BYTES = 8192
const SLICE_MAX_BYTES = 262_144
/** The day is divided into at least this many slices, so that an owner with few bytes loses few. */
const SLICES_MIN = 16

export interface DayBytes {
  /** The window as it is stored; `undefined` before it was looked up. */
  window: Window | null | undefined
  /** The size of the last slice that was drawn. */
  left: number
  slice: number
  /** A lock, because the draws of one owner run one after the other. */
  readonly turn: Semaphore.Semaphore
}

export const newDayBytes = (): DayBytes => ({
  window: undefined,
  left: 0,
  slice: SLICE_FIRST_BYTES,
  turn: Semaphore.makeUnsafe(1)
})

/** Bytes that an owner may still use today, and the end of the day (Unix ms). */
export interface Room {
  readonly bytes: number
  readonly resetsAt: number
}

const limitOf = (bytesPerDay: number): RateLimit => ({ requests: bytesPerDay, window_seconds: DAY_SECONDS })

/** `bucket`: the bucket's name in the stream of long windows. `spent` makes the refusal. */
export const dayBytes = (
  clock: Clock.Clock,
  nats: NatsConnection,
  bucket: string,
  spent: (limit: RateLimit, resetsAt: number, now: number) => Refusal
) => {
  /** The rest of a slice ends with the window that it was drawn from. */
  const renew = (memory: DayBytes, now: number): void => {
    const { window } = memory
    if (window !== undefined && window !== null && now >= window.from + DAY_SECONDS * 1000)
      Object.assign(memory, { window: null, left: 0 })
  }

  const windowOf = (memory: DayBytes, owner: string): Effect.Effect<Window | null, Refusal> =>
    Effect.gen(function* () {
      renew(memory, wallMs(clock))
      if (memory.window !== undefined && memory.window !== null) return memory.window
      const found = yield* lookedUp(() => readWindow(nats, bucket, owner))
      // Another command may have drawn meanwhile.
      return (memory.window ??= found)
    })

  const roomOf = (memory: DayBytes, owner: string, bytesPerDay: number): Effect.Effect<Room, Refusal> => {
    renew(memory, wallMs(clock))
    return Effect.map(windowOf(memory, owner), (window) => {
      const { remaining, resetsAt } = draw(window, limitOf(bytesPerDay), 0, wallMs(clock))
      return { bytes: remaining + memory.left, resetsAt }
    })
  }

  const drawMore = (
    memory: DayBytes,
    owner: string,
    bytes: number,
    bytesPerDay: number
  ): Effect.Effect<void, Refusal> =>
    Effect.gen(function* () {
      const limit = limitOf(bytesPerDay)
      const window = yield* windowOf(memory, owner)
      const missing = bytes - memory.left
      if (missing <= 0) return
      const now = wallMs(clock)
      const room = draw(window, limit, 0, now)
      if (room.remaining < missing) return yield* Effect.fail(spent(limit, room.resetsAt, now))
      const slice = Math.min(memory.slice, Math.ceil(bytesPerDay / SLICES_MIN))
      const drawn = draw(window, limit, Math.min(room.remaining, Math.max(missing, slice)), now)
      yield* lookedUp(() => keepWindow(nats, bucket, owner, drawn.window, DAY_SECONDS))
      memory.window = drawn.window
      memory.left += drawn.granted
      memory.slice = Math.min(memory.slice * 2, SLICE_MAX_BYTES)
    })

  /** Makes sure that this many bytes may be used, or fails. */
  const admit = (memory: DayBytes, owner: string, bytes: number, bytesPerDay: number): Effect.Effect<void, Refusal> => {
    renew(memory, wallMs(clock))
    return bytes <= memory.left ? Effect.void : memory.turn.withPermit(drawMore(memory, owner, bytes, bytesPerDay))
  }

  const use = (memory: DayBytes, bytes: number): void => {
    memory.left = Math.max(0, memory.left - bytes)
  }

  return { roomOf, admit, use }
}
