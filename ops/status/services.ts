/** Processes that answer on the bus (NATS service discovery). */
import type { Service } from "../cli/connection.ts"

/** The listing ends when nobody has answered for so long, and at the latest after the other. */
const STALL_MS = 300
const ANSWERS_WITHIN_MS = 2000
const ANSWERS_MAX = 500

interface Stats {
  readonly name: string
  readonly id: string
  readonly version: string
  readonly started: string
  readonly metadata: Readonly<Record<string, string>>
  readonly endpoints: ReadonlyArray<{
    readonly num_requests: number
    readonly num_errors: number
    readonly processing_time: number
  }>
}

export interface ServiceRow {
  readonly name: string
  readonly id: string
  readonly version: string
  readonly started: string
  /** Of the machine, or of the container. */
  readonly host: string
  readonly pid: number
  readonly roles: string
  /** Port on which it is scraped; `null` where it is not. */
  readonly metrics_port: number | null
  readonly requests: number
  readonly errors: number
  readonly average_ms: number
}

const sum = <T>(all: ReadonlyArray<T>, of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0)

const rowOf = ({ name, id, version, started, metadata, endpoints }: Stats): ServiceRow => {
  const requests = sum(endpoints, (endpoint) => endpoint.num_requests)
  return {
    name,
    id,
    version,
    started,
    host: metadata["host"] ?? "?",
    pid: Number(metadata["pid"]),
    roles: metadata["roles"] ?? "",
    metrics_port: Number(metadata["metrics_port"]) || null,
    requests,
    errors: sum(endpoints, (endpoint) => endpoint.num_errors),
    average_ms:
      requests === 0 ? 0 : Math.round(sum(endpoints, (endpoint) => endpoint.processing_time) / requests / 1000) / 1000
  }
}

/** Ours among what answers; others may share the bus. */
export const servicesOf = async ({ nats }: Service): Promise<ReadonlyArray<ServiceRow>> => {
  const rows: Array<ServiceRow> = []
  for await (const message of await nats.requestMany("$SRV.STATS", "", {
    strategy: "stall",
    stall: STALL_MS,
    maxWait: ANSWERS_WITHIN_MS,
    maxMessages: ANSWERS_MAX
  })) {
    if (message.data.length === 0) continue
    const stats = message.json<Stats>()
    if (stats.name.startsWith("hub-")) rows.push(rowOf(stats))
  }
  return rows.toSorted((a, b) => `${a.name} ${a.id}`.localeCompare(`${b.name} ${b.id}`))
}
