/** Places of the log, by what was stored when. */
import type { StreamState } from "@nats-io/jetstream"
import { streams } from "../../schemas/subjects.ts"
import type { Service } from "../cli/connection.ts"
import type { Point } from "./fold.ts"

/**
 * The last sequence that was stored by the end of that millisecond. The server's clock ends in 2262: it is asked for times
 * of the log alone.
 */
export const placeOf = async (
  { manager }: Pick<Service, "manager">,
  point: Point,
  { last_seq: last, first_ts, last_ts }: StreamState
): Promise<number> => {
  if ("seq" in point) return Math.min(point.seq, last)
  if (point.time >= Date.parse(last_ts)) return last
  if (point.time < Date.parse(first_ts)) return 0
  const found = await manager.direct.getMessage(streams.events, { start_time: new Date(point.time + 1) })
  return found === null ? last : Math.min(found.seq - 1, last)
}
