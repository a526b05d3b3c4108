/** The lag of a stream's reader. */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { Projection } from "./projection.ts"

/**
 * The time of the first message behind a sequence, in unix ms; `null` if nothing is behind it; rejects if the log does
 * not tell. `subjects`: only these patterns count, so that who reads little is behind by nothing while others are
 * written.
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
