/** What answers on the bus (NATS service discovery), and what the actors' side finds of its own health. */
import { headers } from "@nats-io/transport-node"
import { requestsOf } from "../../actors/log/requests.ts"
import type { Health } from "../../schemas/meta/api.ts"
import type { Queries, QueryReply } from "../../schemas/bus/operations.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { QueryClient } from "../../schemas/runtime/bus/queries.ts"
import { subjects } from "../../schemas/subjects.ts"
import type { Service } from "./connection.ts"

/** Who has not answered within this is not listed. */
const ANSWERS_WITHIN_MS = 400
const ANSWERS_MAX = 500
const HEALTH_WITHIN_MS = 1500

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
    maxWait: ANSWERS_WITHIN_MS,
    maxMessages: ANSWERS_MAX
  })) {
    if (message.data.length === 0) continue
    const stats = message.json<Stats>()
    if (stats.name.startsWith("hub-")) rows.push(rowOf(stats))
  }
  return rows.toSorted((a, b) => `${a.name} ${a.id}`.localeCompare(`${b.name} ${b.id}`))
}

type Checks = NonNullable<Health["checks"]>

/** `null` where no process answers queries. */
export const checksOf = async ({ nats }: Service): Promise<Checks | null> => {
  const queries = new QueryClient(machineClock, requestsOf(nats), {
    newHeaders: headers,
    isClosed: () => nats.isClosed()
  })
  const answer = await queries.ask(subjects.query("health"), Buffer.from("null"), Date.now() + HEALTH_WITHIN_MS)
  if (answer === null) return null
  const reply = JSON.parse(Buffer.from(answer).toString("utf8")) as QueryReply<Queries["health"]["output"]>
  return reply.ok ? reply.data.checks : null
}
