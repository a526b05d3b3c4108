/**
 * Lists the processes that answer on the bus (NATS service discovery).
 *
 * Malformed answers are ignored, and long texts are cut. A malicious process can still add rows. It can also hide
 * others, if it sends `BOUNDS.max` answers before theirs.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Option, Schema } from "effect"
import { answersTo, type Bounds } from "./answers.ts"

const BOUNDS: Bounds = { stallMs: 300, withinMs: 1200, max: 500 }

/** Longer texts are cut, because any process on the bus may answer. */
const TEXT_MAX_CHARS = 128
const ENDPOINTS_MAX = 64

const Stats = Schema.Struct({
  name: Schema.String,
  id: Schema.String,
  version: Schema.String,
  started: Schema.String,
  metadata: Schema.Record(Schema.String, Schema.String),
  endpoints: Schema.Array(
    Schema.Struct({
      num_requests: Schema.Finite,
      num_errors: Schema.Finite,
      processing_time: Schema.Finite
    })
  )
})
type Stats = typeof Stats.Type

const readStats = Schema.decodeUnknownOption(Schema.fromJsonString(Stats))

export interface ServiceRow {
  readonly name: string
  readonly id: string
  readonly version: string
  readonly started: string
  /** The name of the machine or the container. */
  readonly host: string
  readonly pid: number
  readonly roles: string
  /** The port of its metrics; `null` if it has none. */
  readonly metrics_port: number | null
  readonly requests: number
  readonly errors: number
  readonly average_ms: number
}

const sum = <T>(all: ReadonlyArray<T>, of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0)

const cut = (text: string): string => text.slice(0, TEXT_MAX_CHARS)

const rowOf = ({ name, id, version, started, metadata, endpoints: all }: Stats): ServiceRow => {
  const endpoints = all.slice(0, ENDPOINTS_MAX)
  const requests = sum(endpoints, (endpoint) => endpoint.num_requests)
  return {
    name: cut(name),
    id: cut(id),
    version: cut(version),
    started: cut(started),
    host: cut(metadata["host"] ?? "?"),
    pid: Number(metadata["pid"]) || 0,
    roles: cut(metadata["roles"] ?? ""),
    metrics_port: Number(metadata["metrics_port"]) || null,
    requests,
    errors: sum(endpoints, (endpoint) => endpoint.num_errors),
    average_ms:
      requests === 0 ? 0 : Math.round(sum(endpoints, (endpoint) => endpoint.processing_time) / requests / 1000) / 1000
  }
}

const listed = async (nats: NatsConnection, subject: string, bounds: Bounds) => {
  const rows: Array<ServiceRow> = []
  for await (const message of answersTo(nats, subject, "", bounds)) {
    if (message.data.length === 0) continue
    const stats = Option.getOrNull(readStats(message.string()))
    if (stats?.name.startsWith("hub-") === true) rows.push(rowOf(stats))
  }
  return rows
}

const EDGE = "hub-edge"

/**
 * The processes of the hub, because others may use the same bus. A busy edge may answer too late, so edges are asked
 * again if none has answered.
 */
export const servicesOf = async (nats: NatsConnection): Promise<ReadonlyArray<ServiceRow>> => {
  const rows = await listed(nats, "$SRV.STATS", BOUNDS)
  if (!rows.some(({ name }) => name === EDGE))
    rows.push(...(await listed(nats, `$SRV.STATS.${EDGE}`, { ...BOUNDS, max: 1 })))
  return rows.toSorted((a, b) => `${a.name} ${a.id}`.localeCompare(`${b.name} ${b.id}`))
}
