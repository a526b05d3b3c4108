/** Processes that answer on the bus (NATS service discovery). */
import type { NatsConnection, RequestManyOptions } from "@nats-io/transport-node"

/** The listing ends when nobody has answered for so long, and at the latest after the other. */
const STALL_MS = 300
const ANSWERS_WITHIN_MS = 1200
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

const listed = async (nats: NatsConnection, subject: string, options: Partial<RequestManyOptions>) => {
  const rows: Array<ServiceRow> = []
  const answers = await nats.requestMany(subject, "", {
    strategy: "timer",
    maxWait: ANSWERS_WITHIN_MS,
    maxMessages: ANSWERS_MAX,
    ...options
  })
  for await (const message of answers) {
    if (message.data.length === 0) continue
    const stats = message.json<Stats>()
    if (stats.name.startsWith("hub-")) rows.push(rowOf(stats))
  }
  return rows
}

const EDGE = "hub-edge"

/** A bus on which nobody listens answers at once: that is a listing too. */
const orNobody = (error: unknown): ReadonlyArray<ServiceRow> => {
  // By its name: a bundle may hold the class twice.
  if (error instanceof Error && error.name === "NoResponders") return []
  throw error
}

/** Ours among what answers; others may share the bus. An edge that is busy may answer after all others. */
export const servicesOf = async (nats: NatsConnection): Promise<ReadonlyArray<ServiceRow>> => {
  const rows = [...(await listed(nats, "$SRV.STATS", { strategy: "stall", stall: STALL_MS }).catch(orNobody))]
  if (!rows.some(({ name }) => name === EDGE))
    rows.push(...(await listed(nats, `$SRV.STATS.${EDGE}`, { strategy: "count", maxMessages: 1 }).catch(orNobody)))
  return rows.toSorted((a, b) => `${a.name} ${a.id}`.localeCompare(`${b.name} ${b.id}`))
}
