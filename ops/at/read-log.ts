/**
 * Reads the log forward up to a given sequence, the place.
 *
 * Invariants
 *  - Each commit up to the place that is still in the log or the archive is received once, in order
 *    (actors/log/log-reading.ts).
 *  - Messages are processed as they arrive. At most `PULL_MESSAGES` are in progress, and none is stored.
 *  - The consumer is in the server's memory and ends with the reading.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Deferred, Effect } from "effect"
import { LogReading } from "../../actors/log/log-reading.ts"
import { nextSeq, type Stored } from "../../actors/log/stream-pages.ts"
import { streams } from "../../schemas/subjects.ts"
import type { Service } from "../cli/connection.ts"

const PULL_MESSAGES = 10_000
const ARCHIVED_PAGE = 4000
const EVERYTHING = ">"
/** The pause between two checks for the end of the reading. */
const LOOK_EVERY_MS = 50
/**
 * After this many checks in a row without a new message the reading fails. The servers cannot be reached, or the
 * replicas have less than the leader.
 */
const LOOKS_MAX = 600

/**
 * Resolves at the given place, or at the end of the log if that comes first. Fails with the error that `receive`
 * throws.
 */
export const readLog = (
  { nats, archive }: Pick<Service, "archive" | "nats">,
  target: number,
  receive: (stored: Stored) => void
): Effect.Effect<void, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (target === 0) return
      let isOver = false
      const done = Deferred.makeUnsafe<void, unknown>()
      const take = (stored: Stored): void => {
        if (isOver) return
        try {
          if (stored.seq <= target) receive(stored)
          if (stored.seq < target) return
          Deferred.doneUnsafe(done, Effect.void)
        } catch (error) {
          Deferred.doneUnsafe(done, Effect.fail(error))
        }
        isOver = true
      }
      const options = { pullMessages: PULL_MESSAGES, archivedPage: ARCHIVED_PAGE }
      const reading = new LogReading(nats, archive, 1, take, options)
      /** True at the end of the messages, even if the last messages up to the place are no longer in the log. */
      const isAtEnd = async (): Promise<boolean> => {
        const { reached, isArchived } = reading
        if (reached >= target) return true
        if (isArchived) return false
        const next = await Effect.runPromise(nextSeq(nats, streams.events, reached, EVERYTHING))
        if (next !== null && next <= target) return false
        // This is checked last, because it shows if the rest was archived meanwhile.
        return (await reading.pending().catch(() => null)) === 0
      }
      const watched = async (signal: AbortSignal): Promise<void> => {
        for (let looks = 0, before = -1; looks < LOOKS_MAX; looks++) {
          await sleep(LOOK_EVERY_MS, undefined, { signal })
          if (reading.isArchived || reading.reached !== before) [looks, before] = [0, reading.reached]
          else if (await isAtEnd()) return
        }
        throw new Error(`the servers of ${streams.events} tell nothing behind #${reading.reached}`)
      }
      const watching = Effect.tryPromise({ try: watched, catch: (error) => error })
      yield* Effect.raceAllFirst([reading.run, Deferred.await(done), watching])
    })
  )
