/**
 * Queries that a host answers itself: the output of programs, their use of resources, and keys that only hosts may
 * know.
 */
import type { Queries } from "../../schemas/bus/operations.ts"
import { refusal } from "../../schemas/errors.ts"
import { QueryRefused } from "../queries/refused.ts"
import { type Boxes, newAgentKey } from "./boxes.ts"
import { messageOf } from "./host/fault.ts"
import type { Machine } from "./machine.ts"
import { KEY_NAME } from "./order.ts"
import type { Usage } from "./usage.ts"
import { iso } from "../../schemas/iso.ts"

const WAIT_MAX_MS = 4000
const LINES_MAX = 1000
/**
 * The size of one answer's lines as JSON, in which a control character takes six bytes. The caller asks again for
 * further lines.
 */
const ANSWER_MAX_BYTES = 4_000_000

const away = (error: unknown): QueryRefused =>
  new QueryRefused(
    refusal("runtime_unavailable", "The host of this compartment cannot tell at the moment.", {
      reason: messageOf(error)
    })
  )

/** Returns the oldest lines that fit, so that a reader that continues after the last one misses none. */
export const bounded = <Line>(lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  let bytes = 0
  const end = lines.findIndex((line) => (bytes += Buffer.byteLength(JSON.stringify(line)) + 1) > ANSWER_MAX_BYTES)
  return end <= 0 ? (end === 0 ? lines.slice(0, 1) : lines) : lines.slice(0, end)
}

export const hostQueries = (machine: Machine, boxes: Boxes, usage: Pick<Usage, "of">) => ({
  host_logs: async (input: Queries["host_logs"]["input"]): Promise<Queries["host_logs"]["output"]> => {
    const { compartment, since_id: sinceId, stream, q, limit, wait_ms } = input
    const wanted = { sinceId, limit: Math.min(limit, LINES_MAX), stream, q, waitMs: Math.min(wait_ms, WAIT_MAX_MS) }
    const { lines } = await machine.logs(compartment, wanted).catch((error: unknown) => Promise.reject(away(error)))
    const shown = lines.map(({ at, ...line }) => ({ ...line, at: iso(at) }))
    // The newest lines that fit.
    const fit = sinceId === null ? bounded(shown.toReversed()).toReversed() : bounded(shown)
    return { lines: fit, ...(fit.length < shown.length ? { cut: true as const } : {}) }
  },
  host_stats: async ({ compartment }: Queries["host_stats"]["input"]): Promise<Queries["host_stats"]["output"]> => {
    try {
      const stats = await machine.stats(compartment)
      const disk_mb = stats?.disk_mb ?? Math.round(await machine.diskMb(compartment))
      const history = stats === null ? [] : usage.of(compartment)
      return { stats: stats === null ? null : { ...stats, at: iso(stats.at) }, disk_mb, history }
    } catch (error) {
      throw away(error)
    }
  },
  host_new_key: ({ compartment }: Queries["host_new_key"]["input"]): Promise<Queries["host_new_key"]["output"]> => {
    const { publicKey, seed } = newAgentKey()
    return Promise.resolve({ public_key: publicKey, box: boxes.seal(seed, compartment, KEY_NAME) })
  }
})
