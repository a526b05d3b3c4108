/** Finds places in the log by time. */
import type { StreamState } from "@nats-io/jetstream"
import type { Commit, LogEntry } from "../../actors/log/commit.ts"
import { traceIdOf } from "../../actors/log/traceparent.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Service } from "../cli/connection.ts"
import type { Point } from "./fold.ts"

/**
 * The last sequence that was stored by the end of that millisecond. The server cannot handle times after 2262, so only
 * times within the log are passed on.
 */
export const placeOf = async (
  { manager, archive }: Pick<Service, "archive" | "manager">,
  point: Point,
  { last_seq: last, first_ts, last_ts }: StreamState
): Promise<number> => {
  if ("seq" in point) return Math.min(point.seq, last)
  if (point.time >= Date.parse(last_ts)) return last
  if (point.time < Date.parse(first_ts)) return (await archive?.lastBy(point.time)) ?? 0
  const found = await manager.direct.getMessage(streams.events, { start_time: new Date(point.time + 1) })
  const place = found === null ? last : Math.min(found.seq - 1, last)
  // The log may have been archived and dropped since its state was asked for.
  await archive?.refresh()
  return archive !== undefined && place <= archive.through ? archive.lastBy(point.time) : place
}

/** The entry at a sequence, in the log or in its archive; `null` if it no longer exists. */
export const entryAt = async (
  { manager, archive }: Pick<Service, "archive" | "manager">,
  seq: number
): Promise<LogEntry | null> => {
  const found = await manager.direct.getMessage(streams.events, { seq, next_by_subj: subjects.events })
  if (found === null || found.seq !== seq) return (await archive?.at(seq)) ?? null
  if (found.data.length === 0) return null
  const traceId = traceIdOf(found.header)
  return { seq, commit: found.json<Commit>(), ...(traceId === null ? {} : { trace_id: traceId }) }
}
