/**
 * Reads the present state of the cluster for `hub status`.
 *
 * Invariants
 *  - Every query ends within `BOUND_MS`. A missing answer gives `null` or an empty list.
 *  - Nothing is written.
 */
import { hostname } from "node:os"
import { headers } from "@nats-io/transport-node"
import type { JetStreamManager, StreamInfo } from "@nats-io/jetstream"
import { sql } from "kysely"
import { requestsOf } from "../../actors/log/requests.ts"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import { rebuildSchema } from "../../actors/projections/rebuild.ts"
import { replicasIn } from "../../actors/queries/replicas.ts"
import { REACTIONS } from "../../actors/process/reactions.ts"
import { asideCount } from "../../actors/reactions/aside.ts"
import { readMark } from "../../actors/reactions/marks.ts"
import type { Queries, QueryReply } from "../../schemas/bus/operations.ts"
import type { Health } from "../../schemas/meta/api.ts"
import { QueryClient } from "../../schemas/runtime/bus/queries.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { buckets, SHARD_COUNT, streams, subjects } from "../../schemas/subjects.ts"
import type { Service } from "../cli/connection.ts"
import { passedOverCounts } from "./passed-over.ts"
import { type PausedWebhook, pausedWebhooks } from "./paused-webhooks.ts"
import { type ServiceRow, servicesOf } from "./services.ts"

/** The timeout of each query. */
export const BOUND_MS = 3000
/** A node answers a ping at once, in parallel to its other work. */
const PING_MS = 1500
const HEALTH_MS = 2500

export interface NodeRow {
  readonly session: string
  readonly name: string
  readonly host: string
  readonly pid: number
  readonly roles: ReadonlyArray<string>
  readonly started_at: string
  readonly resident: number
  readonly shards: ReadonlyArray<number>
  /** False if the node holds a session and does not answer: it is frozen, or disconnected. */
  readonly answers: boolean
}

export interface StreamRow {
  readonly name: string
  /** `null`, also of `bytes` and `last_seq`, if the stream does not answer. */
  readonly messages: number | null
  readonly bytes: number | null
  readonly last_seq: number | null
  /** The configured number of replicas; `null` if it is unknown. */
  readonly replicas: number | null
  readonly leader: string | null
  /** Servers that should have a replica and are away. */
  readonly offline: ReadonlyArray<string>
  /** Servers whose replica is not current yet. */
  readonly lagging: ReadonlyArray<string>
  readonly consumers: ReadonlyArray<{
    readonly name: string
    readonly pending: number
    readonly unacknowledged: number
  }>
}

interface ReadModelRow {
  readonly name: string
  readonly version: number
  readonly watermark: number
  /** The most commits that can be missing; `null` if the log does not answer. */
  readonly lag: number | null
  readonly faults: number
  /** The last sequence that a rebuild under way has applied; `null` if there is no rebuild. */
  readonly rebuilt_to: number | null
}

interface ReactionRow {
  readonly name: string
  readonly watermark: number | null
  readonly lag: number | null
  readonly parked: number | null
  readonly faults: number | null
}

export interface Cluster {
  readonly nodes: ReadonlyArray<NodeRow>
  readonly unowned_shards: ReadonlyArray<number>
  /** `null` if the listing failed. */
  readonly services: ReadonlyArray<ServiceRow> | null
  readonly streams: ReadonlyArray<StreamRow>
  /** `null` if Postgres does not answer. */
  readonly read_models: ReadonlyArray<ReadModelRow> | null
  readonly reactions: ReadonlyArray<ReactionRow>
  /** The first `PAUSED_MAX` webhooks that operators have paused, oldest first; `null` if Postgres does not answer. */
  readonly paused_webhooks: ReadonlyArray<PausedWebhook> | null
  /** `null` if no actor node answers queries. */
  readonly checks: NonNullable<Health["checks"]> | null
}

/** The result; `null` if it fails or takes longer than `ms`. */
export const bounded = async <T>(asked: Promise<T>, ms = BOUND_MS): Promise<T | null> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  return Promise.race([asked.catch(() => null), late]).finally(() => clearTimeout(timer))
}

type NodeInfo = Omit<NodeRow, "session" | "shards" | "answers" | "host"> & { readonly host?: string }

const ALL_SHARDS: ReadonlyArray<number> = Array.from({ length: SHARD_COUNT }, (_, shard) => shard)

const nodeOf = async ({ nats, view }: Service, session: string): Promise<NodeRow | null> => {
  const subject = `$JS.API.DIRECT.GET.KV_${buckets.leases}.$KV.${buckets.leases}.node.${session}`
  const requests = requestsOf(nats)
  const [info, pong] = await Promise.all([
    bounded(requests.request(subject, undefined, BOUND_MS)),
    bounded(requests.request(subjects.nodePing(session), "", PING_MS))
  ])
  // The node may have left meanwhile.
  if (info !== null && (info.headers?.code === 404 || info.data.length === 0)) return null
  const told: NodeInfo | undefined = info?.json<NodeInfo>()
  return {
    session,
    name: told?.name ?? "?",
    host: told?.host ?? "?",
    pid: told?.pid ?? 0,
    roles: told?.roles ?? [],
    started_at: told?.started_at ?? "?",
    resident: told?.resident ?? 0,
    shards: ALL_SHARDS.filter((shard) => view.ownerOf(shard) === session),
    answers: pong !== null && pong.headers?.code !== 503
  }
}

const nodesOf = async (service: Service): Promise<ReadonlyArray<NodeRow>> =>
  (await Promise.all(service.view.sessions().map((session) => nodeOf(service, session)))).filter((one) => one !== null)

/** A shard whose owner's session has ended belongs to nobody. */
const unownedIn = ({ view }: Service): ReadonlyArray<number> =>
  ALL_SHARDS.filter((shard) => {
    const owner = view.ownerOf(shard)
    return owner === null || !view.isLive(owner)
  })

const consumersOf = async (manager: JetStreamManager, stream: string): Promise<StreamRow["consumers"]> => {
  const consumers = []
  for await (const one of manager.consumers.list(stream))
    consumers.push({ name: one.name, pending: one.num_pending, unacknowledged: one.num_ack_pending })
  return consumers
}

const rowOf = (name: string, info: StreamInfo | null, consumers: StreamRow["consumers"]): StreamRow => {
  const replicas = info === null ? null : replicasIn(info)
  return {
    name,
    messages: info?.state.messages ?? null,
    bytes: info?.state.bytes ?? null,
    last_seq: info?.state.last_seq ?? null,
    replicas: replicas?.wanted ?? null,
    leader: info?.cluster?.leader ?? null,
    offline: replicas?.offline ?? [],
    lagging: replicas?.lagging ?? [],
    consumers
  }
}

const streamsOf = ({ manager }: Service): Promise<ReadonlyArray<StreamRow>> =>
  Promise.all(
    Object.values(streams).map(async (name) => {
      const [info, consumers] = await Promise.all([
        bounded(manager.streams.info(name)),
        bounded(consumersOf(manager, name))
      ])
      return rowOf(name, info, consumers ?? [])
    })
  )

interface Part {
  readonly stream: string
  readonly subjects: ReadonlyArray<string>
}

/**
 * The number of sequences between the first message that is not processed and the last: the most that can be missing.
 */
const behind = async (manager: JetStreamManager, { stream, subjects: patterns }: Part, done: number) => {
  const spans = await Promise.all(
    patterns.map(async (pattern) => {
      const first = await manager.direct.getMessage(stream, { seq: done + 1, next_by_subj: pattern })
      if (first === null) return null
      const last = await manager.direct.getMessage(stream, { last_by_subj: pattern })
      return { first: first.seq, last: Math.max(first.seq, last?.seq ?? 0) }
    })
  )
  const found = spans.filter((span) => span !== null)
  if (found.length === 0) return 0
  return Math.max(...found.map(({ last }) => last)) - Math.min(...found.map(({ first }) => first)) + 1
}

/** Read models that this release knows and that have been started. */
const readModelsOf = async (service: Service): Promise<ReadonlyArray<ReadModelRow> | null> => {
  const { db, manager } = service
  const asked = Promise.all([
    db.selectFrom("projections").selectAll().execute(),
    passedOverCounts(db),
    rebuildsOf(service)
  ])
  const answered = await bounded(asked)
  // The log is needed for the lags. Its failure must not be reported as one of Postgres.
  if (answered === null) return null
  const [rows, faults, rebuilds] = answered
  const known = new Map(rows.map((row) => [row.name, row] as const))
  const models = PROJECTIONS.map(async (projection): Promise<ReadonlyArray<ReadModelRow>> => {
    const row = known.get(projection.name)
    if (row === undefined) return []
    const watermark = Number(row.seq)
    return [
      {
        name: projection.name,
        version: row.version,
        watermark,
        lag: await bounded(behind(manager, projection, watermark)),
        faults: faults.get(projection.name) ?? 0,
        rebuilt_to: rebuilds.get(projection.name) ?? null
      }
    ]
  })
  return (await Promise.all(models)).flat()
}

/** The last sequence that each rebuild under way has applied, by projection. */
const rebuildsOf = async ({ db }: Service): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await sql<{ schema: string }>`
    select n.nspname as schema from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relname = 'projections'
    where exists (select from pg_locks where locktype = 'advisory' and granted)`.execute(db)
  const there = new Set(rows.map(({ schema }) => schema))
  const found = await Promise.all(
    PROJECTIONS.filter((projection) => there.has(rebuildSchema(projection))).map(async (projection) => {
      const table = sql.table(`${rebuildSchema(projection)}.projections`)
      // The rebuild may have ended between the two queries.
      const told = await sql<{ seq: string }>`select seq from ${table}`.execute(db).catch(() => null)
      return told === null ? [] : [[projection.name, Number(told.rows[0]?.seq ?? 0)] as const]
    })
  )
  return new Map(found.flat())
}

const reactionsOf = ({ nats, manager }: Service): Promise<ReadonlyArray<ReactionRow>> =>
  Promise.all(
    REACTIONS.map(async ({ name, subjects: read }): Promise<ReactionRow> => {
      const mark = await bounded(readMark(nats, name))
      const [lag, parked, faults] = await Promise.all([
        mark === null ? null : bounded(behind(manager, { stream: streams.events, subjects: read }, mark.seq)),
        bounded(asideCount(manager, name, "parked")),
        bounded(asideCount(manager, name, "fault"))
      ])
      return { name, watermark: mark?.seq ?? null, lag, parked, faults }
    })
  )

const checksOf = async ({ nats }: Service): Promise<Cluster["checks"]> => {
  const queries = new QueryClient(machineClock, requestsOf(nats), {
    newHeaders: headers,
    isClosed: () => nats.isClosed()
  })
  const answer = await queries.ask(subjects.query("health"), Buffer.from("null"), Date.now() + HEALTH_MS)
  if (answer === null) return null
  const reply = JSON.parse(Buffer.from(answer).toString("utf8")) as QueryReply<Queries["health"]["output"]>
  return reply.ok ? reply.data.checks : null
}

export const clusterOf = async (service: Service): Promise<Cluster> => {
  const [nodes, all, reactions, services, checks, read_models, paused_webhooks] = await Promise.all([
    nodesOf(service),
    streamsOf(service),
    reactionsOf(service),
    bounded(servicesOf(service.nats)),
    bounded(checksOf(service)),
    readModelsOf(service),
    bounded(pausedWebhooks(service.db))
  ])
  return {
    nodes,
    unowned_shards: unownedIn(service),
    services,
    streams: all,
    read_models,
    reactions,
    paused_webhooks,
    checks
  }
}

/**
 * Names a process by its process id, and by its host if that is another one. The process id 1 is left out for another
 * host, because every container has it.
 */
export const placeOf = ({ host, pid }: { readonly host: string; readonly pid: number }): string =>
  host === hostname() ? `pid ${pid}` : pid === 1 ? `on ${host}` : `on ${host}, pid ${pid}`
