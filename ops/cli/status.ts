/**
 * `hub status`: nodes, shards and their owners, what serves, streams, consumers and their lag, read models and their
 * watermark, reactions, health.
 */
import { sql } from "kysely"
import { requestsOf } from "../../actors/log/requests.ts"
import { REACTIONS } from "../../actors/reactions/all.ts"
import { asideCount } from "../../actors/reactions/aside.ts"
import { readMark } from "../../actors/reactions/marks.ts"
import { PROJECTIONS } from "../../actors/projections/all.ts"
import { rebuildSchema } from "../../actors/projections/rebuild.ts"
import { buckets, SHARD_COUNT, streams } from "../../schemas/subjects.ts"
import { behind, passedOver } from "./behind.ts"
import type { Command } from "./command.ts"
import { PATIENCE_MS, type Service } from "./connection.ts"
import { checksOf, servicesOf } from "./services.ts"

interface NodeInfo {
  readonly session: string
  readonly name: string
  readonly pid: number
  readonly roles: ReadonlyArray<string>
  readonly started_at: string
  readonly resident: number
  readonly shards: ReadonlyArray<number>
}

const nodesOf = async (service: Service): Promise<ReadonlyArray<NodeInfo>> => {
  const nodes: Array<NodeInfo> = []
  for (const session of service.view.sessions()) {
    const subject = `$JS.API.DIRECT.GET.KV_${buckets.leases}.$KV.${buckets.leases}.node.${session}`
    const reply = await requestsOf(service.nats).request(subject, undefined, PATIENCE_MS)
    if (reply === null || reply.headers?.code === 404 || reply.data.length === 0) continue
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard).filter(
      (shard) => service.view.ownerOf(shard) === session
    )
    nodes.push({ session, ...reply.json<Omit<NodeInfo, "session" | "shards">>(), shards })
  }
  return nodes
}

const streamsOf = async (service: Service) => {
  const rows = []
  for (const name of Object.values(streams)) {
    const { state, config, cluster } = await service.manager.streams.info(name)
    const consumers = []
    for await (const consumer of service.manager.consumers.list(name)) {
      consumers.push({ name: consumer.name, pending: consumer.num_pending, unacknowledged: consumer.num_ack_pending })
    }
    rows.push({
      name,
      messages: state.messages,
      bytes: state.bytes,
      last_seq: state.last_seq,
      replicas: config.num_replicas,
      leader: cluster?.leader ?? null,
      consumers
    })
  }
  return rows
}

/** Of what may not be there. */
const after = (what: string, value: string | number | null): string => (value === null ? "" : `${what}${value}`)

/** Those that this release knows and that have begun. */
const readModelsOf = async (service: Service) => {
  const rows = new Map(
    (await service.db.selectFrom("projections").selectAll().execute()).map((row) => [row.name, row] as const)
  )
  const faults = await passedOver(service.db)
  const models = PROJECTIONS.map(async (projection) => {
    const row = rows.get(projection.name)
    if (row === undefined) return []
    const [version, watermark] = [row.version, Number(row.seq)]
    const [lag, rebuilt_to] = await Promise.all([
      behind(service, projection, watermark),
      rebuiltTo(service, projection.name)
    ])
    const of = faults.filter((fault) => fault.projection === projection.name)
    return [{ name: projection.name, version, watermark, lag, faults: of.length, rebuilt_to }]
  })
  return (await Promise.all(models)).flat()
}

/** How far reactions are done, and what could not be done in its turn. */
const reactionsOf = (service: Service) =>
  Promise.all(
    REACTIONS.map(async ({ name, subjects: read }) => {
      const { seq } = await readMark(service.nats, name)
      const lag = await behind(service, { stream: streams.events, subjects: read }, seq)
      const [parked, faults] = await Promise.all([
        asideCount(service.manager, name, "parked"),
        asideCount(service.manager, name, "fault")
      ])
      return { name, watermark: seq, lag, parked, faults }
    })
  )

/** How far a rebuild that is under way has come; `null` where there is none. */
const rebuiltTo = async ({ db }: Service, name: string): Promise<number | null> => {
  const table = `${rebuildSchema({ name })}.projections`
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass(${table}) is not null and exists (select from pg_locks where locktype = 'advisory' and granted) as there`.execute(
    db
  )
  if (rows[0]?.there !== true) return null
  // It may have ended between the two questions.
  const found = await sql<{ seq: string }>`select seq from ${sql.table(table)}`.execute(db).catch(() => null)
  return found === null ? null : Number(found.rows[0]?.seq ?? 0)
}

export const statusCommand: Command = {
  usage: ["status [--json]"],
  run: async (service, { values }) => {
    const [nodes, all, reacting, services, checks] = await Promise.all([
      nodesOf(service),
      streamsOf(service),
      reactionsOf(service),
      servicesOf(service),
      checksOf(service)
    ])
    const readModels = await readModelsOf(service).catch(() => null)
    const unowned = Array.from({ length: SHARD_COUNT }, (_, shard) => shard).filter(
      (shard) => service.view.ownerOf(shard) === null
    )
    if (values.json === true)
      return {
        nodes,
        unowned_shards: unowned,
        services,
        streams: all,
        read_models: readModels,
        reactions: reacting,
        checks
      }
    return [
      `nodes (${nodes.length})`,
      ...nodes.map(
        (node) =>
          `  ${node.session}  pid ${node.pid}  ${node.roles.join(",")}  since ${node.started_at}` +
          `  ${node.resident} actors resident  ${node.shards.length} shards: ${ranges(node.shards)}`
      ),
      `  shards without an owner: ${unowned.length === 0 ? "none" : ranges(unowned)}`,
      `services (${services.length})`,
      ...services.map(
        (one) =>
          `  ${one.name} ${one.version}  pid ${one.pid}  ${one.requests} requests  ${one.errors} faults` +
          `  ${one.average_ms} ms on average${after("  metrics on port ", one.metrics_port)}`
      ),
      "streams",
      ...all.map(
        (stream) =>
          `  ${stream.name}  ${stream.messages} messages  ${stream.bytes} bytes  last ${stream.last_seq}` +
          `  ${stream.replicas} ${stream.replicas === 1 ? "replica" : "replicas"}${after("  led by ", stream.leader)}` +
          stream.consumers
            .map(
              ({ name, pending, unacknowledged }) => `  [${name}: ${pending} pending, ${unacknowledged} unacknowledged]`
            )
            .join("")
      ),
      "read models",
      ...(readModels === null
        ? ["  Postgres does not answer"]
        : readModels.map(
            (model) =>
              `  ${model.name} v${model.version}  watermark ${model.watermark}  ${model.lag} behind  ${model.faults} passed over` +
              after("  being rebuilt: at ", model.rebuilt_to)
          )),
      "reactions",
      ...reacting.map(
        ({ name, watermark, lag, parked, faults }) =>
          `  ${name}  watermark ${watermark}  ${lag} behind  ${parked} parked  ${faults} passed over`
      ),
      "health",
      ...(checks === null
        ? ["  no process answers queries"]
        : Object.entries(checks).map(
            ([name, check]) =>
              `  ${name}  ${check.status}  ${check.observed ?? "?"} ${check.unit ?? ""}${after(": ", check.message)}`
          ))
    ].join("\n")
  }
}

const ranges = (numbers: ReadonlyArray<number>): string => {
  const parts: Array<string> = []
  for (let index = 0; index < numbers.length;) {
    let end = index
    while (numbers[end + 1] === (numbers[end] ?? 0) + 1) end++
    parts.push(end === index ? `${numbers[index]}` : `${numbers[index]}-${numbers[end]}`)
    index = end + 1
  }
  return parts.join(" ")
}
