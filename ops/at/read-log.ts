/**
 * Reads the log forward to a place.
 *
 * Invariants
 *  - Each message up to the place that the log still keeps is received once, in order.
 *  - Messages are worked on as they come. At most `PULL_MESSAGES` are on their way, and none is kept.
 *  - The consumer, in the server's memory, ends with the reading. A consumer costs the server a third of what reading
 *    by direct gets costs it, and its messages carry no headers that the reader would have to parse.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Deferred, Effect, Stream } from "effect"
import { followStream } from "../../actors/log/follow.ts"
import { isGuarding } from "../../actors/log/archive/mark.ts"
import { archivedPages, nextSeq, type Stored } from "../../actors/log/stream-pages.ts"
import { streams } from "../../schemas/subjects.ts"
import type { Service } from "../cli/connection.ts"

const PULL_MESSAGES = 10_000
const ARCHIVED_PAGE = 4000
const EVERYTHING = ">"
/** Looks whether anything is still to come, while nothing comes. */
const LOOK_EVERY_MS = 50
/** Looks without anything new: then the replicas end before the leader does, or the servers are away. */
const LOOKS_MAX = 600

/** Resolves at the place, or where the log ends before it. Fails with whatever `receive` throws. */
export const readLog = (
  { nats, archive }: Pick<Service, "archive" | "nats">,
  target: number,
  receive: (stored: Stored) => void
): Effect.Effect<void, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (target === 0) return
      let reached = 0
      if (archive !== undefined) {
        const older = archivedPages(archive, 0, ARCHIVED_PAGE)
        yield* Stream.runForEachWhile(older, ({ page, reached: end }) =>
          Effect.try({
            try: () => {
              for (const stored of page) if (stored.seq <= target) receive(stored)
              reached = end
              return end < target
            },
            catch: (error) => error
          })
        )
        if (reached >= target) return
      }
      const done = Deferred.makeUnsafe<void, unknown>()
      const { pending } = yield* followStream(
        nats,
        streams.events,
        reached + 1,
        ({ seq, subject, data }) => {
          if (reached >= target) return
          reached = seq
          try {
            if (seq <= target && !isGuarding(subject)) receive({ seq, subject, data })
            if (seq >= target) Deferred.doneUnsafe(done, Effect.void)
          } catch (error) {
            reached = target
            Deferred.doneUnsafe(done, Effect.fail(error))
          }
        },
        undefined,
        PULL_MESSAGES
      )
      /** The last messages up to the place may be ones that the log has forgotten. */
      const isAtEnd = async (): Promise<boolean> => {
        if ((await pending().catch(() => null)) !== 0) return false
        const next = await Effect.runPromise(nextSeq(nats, streams.events, reached, EVERYTHING))
        return next === null || next > target
      }
      const watched = async (signal: AbortSignal): Promise<void> => {
        for (let looks = 0, before = -1; looks < LOOKS_MAX; looks++) {
          await sleep(LOOK_EVERY_MS, undefined, { signal })
          if (reached !== before) [looks, before] = [0, reached]
          else if (await isAtEnd()) return
        }
        throw new Error(`the servers of ${streams.events} tell nothing behind #${reached}`)
      }
      const watching = Effect.tryPromise({ try: watched, catch: (error) => error })
      yield* Effect.raceFirst(Deferred.await(done), watching)
    })
  )
