/** The lag of a stream's reader. */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { Projection } from "./projection.ts"

/**
 * The time of the first message after a sequence, in Unix ms; `null` if there is none. Rejects if the log does not
 * answer. `subjects`: only messages of these patterns count, so that a reader of few subjects is not behind because of
 * others.
 */
export const firstBehind = async (
  manager: JetStreamManager,
  { stream, subjects }: Pick<Projection, "stream" | "subjects">,
  seq: number
): Promise<number | null> => {
  const firsts = await Promise.all(
    subjects.map((next_by_subj) => manager.direct.getMessage(stream, { seq: seq + 1, next_by_subj }))
  )
  const times = firsts.flatMap((message) => (message === null ? [] : [message.time.getTime()]))
  return times.length === 0 ? null : Math.min(...times)
}
