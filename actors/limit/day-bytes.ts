/**
 * Limits the bytes that an owner may use in a day. They are taken from the day's window in slices. Some callers of an
 * owner may use only a part of the bytes. One window counts the part and the whole, so each slice is one write.
 *
 * Invariant: the day's window is kept in the stream of long windows. A slice is recorded there before any of it is
 * used. An activation that ends, as each does after some idle minutes, loses the rest of its slice. So the first slice
 * has the bytes that are needed, and slices double while they are used up. A slice of the part counts in the part and
 * in the whole, and only those callers use it.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { type Clock, Effect, Semaphore } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { RateLimit } from "../../schemas/limit/bucket.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { DAY_SECONDS, lookedUp } from "./day.ts"
import { keepWindow, readWindow } from "./stored-windows.ts"
import { draw, type Window } from "./window.ts"

const SLICE_MAX_BYTES = 262_144
/**
 * Limits a slice to the day's bytes divided by this, unless one use needs more. So an owner with few bytes loses few.
 */
const SLICES_MIN = 16

/**
 * A slice that one group of callers uses. `left`: its bytes that are not used yet. `size`: the size of the next slice.
 */
interface Slice {
  left: number
  size: number
}

export interface DayBytes {
  /** The window as it is stored; `null` if none is stored, `undefined` before the lookup. */
  window: Window | null | undefined
  readonly own: Slice
  readonly part: Slice
  readonly turn: Semaphore.Semaphore
}

export const newDayBytes = (): DayBytes => ({
  window: undefined,
  own: { left: 0, size: 0 },
  part: { left: 0, size: 0 },
  turn: Semaphore.makeUnsafe(1)
})

/** The bytes for a day. `part`: the part that the caller may use; absent for other callers. */
export interface DayShare {
  readonly whole: number
  readonly part?: number
}

/**
 * Holders of an agent's tokens (sources and fill services of its vault) may use at most this fraction (half) of what the
 * agent may use.
 */
export const HOLDERS_PART = 2

export const holdersPart = (whole: number): number => Math.floor(whole / HOLDERS_PART)

/** The share of the agent or person, or of all holders of the agent's tokens. */
export const shareOf = (whole: number, { holder }: { readonly holder?: true | undefined }): DayShare => ({
  whole,
  ...(holder === true ? { part: holdersPart(whole) } : {})
})

/** Bytes that an owner may still use today, and the end of the day (Unix ms). */
export interface Room {
  readonly bytes: number
  readonly resetsAt: number
}

const limitOf = (bytesPerDay: number): RateLimit => ({ requests: bytesPerDay, window_seconds: DAY_SECONDS })

/** Makes the limiter. `bucket`: the name of the bucket in the stream of long windows. `spent`: makes the refusal. */
export const dayBytes = (
  clock: Clock.Clock,
  nats: NatsConnection,
  bucket: string,
  spent: (limit: RateLimit, resetsAt: number, now: number) => Refusal
) => {
  /** Forgets the window when it is over, with the rests of its slices. */
  const renew = (memory: DayBytes, now: number): void => {
    const { window } = memory
    if (window === undefined || window === null || now < window.from + DAY_SECONDS * 1000) return
    memory.window = null
    memory.own.left = 0
    memory.part.left = 0
  }

  const windowOf = (memory: DayBytes, owner: string): Effect.Effect<Window | null, Refusal> =>
    Effect.gen(function* () {
      renew(memory, wallMs(clock))
      if (memory.window !== undefined && memory.window !== null) return memory.window
      const found = yield* lookedUp(() => readWindow(nats, bucket, owner))
      // Another command may have set the window during the lookup.
      return (memory.window ??= found)
    })

  const remainingIn = (window: Window | null, { whole, part }: DayShare, now: number) => {
    const drawn = draw(window, limitOf(whole), 0, now)
    const ofPart = part === undefined ? Infinity : Math.max(0, part - (drawn.window.part ?? 0))
    return { remaining: Math.min(drawn.remaining, ofPart), resetsAt: drawn.resetsAt }
  }

  const roomOf = (memory: DayBytes, owner: string, share: DayShare): Effect.Effect<Room, Refusal> => {
    renew(memory, wallMs(clock))
    return Effect.map(windowOf(memory, owner), (window) => {
      const { remaining, resetsAt } = remainingIn(window, share, wallMs(clock))
      return { bytes: remaining + sliceOf(memory, share).left, resetsAt }
    })
  }

  const drawMore = (memory: DayBytes, owner: string, bytes: number, share: DayShare): Effect.Effect<void, Refusal> =>
    Effect.gen(function* () {
      const window = yield* windowOf(memory, owner)
      const slice = sliceOf(memory, share)
      const missing = bytes - slice.left
      if (missing <= 0) return
      const now = wallMs(clock)
      const bytesPerDay = share.part ?? share.whole
      const { remaining, resetsAt } = remainingIn(window, share, now)
      if (remaining < missing) return yield* Effect.fail(spent(limitOf(bytesPerDay), resetsAt, now))
      const wanted = Math.max(missing, Math.min(slice.size, Math.ceil(bytesPerDay / SLICES_MIN)))
      const drawn = draw(window, limitOf(share.whole), Math.min(remaining, wanted), now)
      const next =
        share.part === undefined ? drawn.window : { ...drawn.window, part: (drawn.window.part ?? 0) + drawn.granted }
      yield* lookedUp(() => keepWindow(nats, bucket, owner, next, DAY_SECONDS))
      memory.window = next
      slice.left += drawn.granted
      slice.size = Math.min(drawn.granted * 2, SLICE_MAX_BYTES)
    })

  /** Ensures that the slice has this many bytes, or fails. */
  const admit = (memory: DayBytes, owner: string, bytes: number, share: DayShare): Effect.Effect<void, Refusal> => {
    renew(memory, wallMs(clock))
    return bytes <= sliceOf(memory, share).left
      ? Effect.void
      : memory.turn.withPermit(drawMore(memory, owner, bytes, share))
  }

  const use = (memory: DayBytes, bytes: number, share: Pick<DayShare, "part"> = {}): void => {
    const slice = sliceOf(memory, share)
    slice.left = Math.max(0, slice.left - bytes)
  }

  return { roomOf, admit, use }
}

const sliceOf = ({ own, part }: DayBytes, share: Pick<DayShare, "part">): Slice =>
  share.part === undefined ? own : part
