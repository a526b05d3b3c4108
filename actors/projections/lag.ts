/** The lag of a stream's reader. */
import type { JetStreamManager } from "@nats-io/jetstream"
import { streams, subjects as everything } from "../../schemas/subjects.ts"
import { archivedThrough } from "../log/archive/mark.ts"
import type { Projection } from "./projection.ts"

/**
 * The time of the first message after a sequence, in Unix ms; `null` if there is none. Rejects if the log does not
 * answer. `subjects`: only messages of these patterns count, so that a reader of few subjects is not behind because of
 * others.
 *
 * A reader of the log may be behind archived commits if it is new, or if its watermark was lost. The result is then the
 * time of the first message that the log still has.
 */
export const firstBehind = async (
  manager: JetStreamManager,
  { stream, subjects }: Pick<Projection, "stream" | "subjects">,
  seq: number
): Promise<number | null> => {
  const after = (next_by_subj: string) => manager.direct.getMessage(stream, { seq: seq + 1, next_by_subj })
  const isBehindArchive = stream === streams.events && seq < (await archivedThrough(manager))
  const firsts = await Promise.all((isBehindArchive ? [everything.events] : subjects).map(after))
  const times = firsts.flatMap((message) => (message === null ? [] : [message.time.getTime()]))
  return times.length === 0 ? null : Math.min(...times)
}
