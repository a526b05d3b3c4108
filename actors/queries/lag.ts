/** How old the first message behind a sequence is. */
import type { JetStreamManager } from "@nats-io/jetstream"

/**
 * Unix ms; `null` where nothing is behind it; rejects where the log does not tell. `head`: the stream's last sequence.
 * `filter`: only subjects of this pattern.
 */
export const firstBehind = async (
  manager: JetStreamManager,
  stream: string,
  seq: number,
  head: number,
  filter = ">"
): Promise<number | null> => {
  if (head <= seq) return null
  const next = await manager.direct.getMessage(stream, { seq: seq + 1, next_by_subj: filter })
  return next === null ? null : next.time.getTime()
}
