/**
 * `hub status`: prints a verdict, which is also the exit status (0 healthy, 1 degraded, 2 down), then the problems,
 * then the cluster in a few lines. `--all` shows every node, stream, read model and reaction.
 */
import { machineClock } from "../../schemas/runtime/clock.ts"
import { SHARD_COUNT, streams } from "../../schemas/subjects.ts"
import { BOUND_MS, bounded, type Cluster, clusterOf, placeOf } from "../status/cluster.ts"
import { counted, exitStatusOf, type Problem, ranges, type Verdict, verdictOf } from "../status/verdict.ts"
import { pausedText } from "../status/paused-webhooks.ts"
import { type Arguments, type Command, Finding } from "./command.ts"
import { openService, refuseSettings } from "./connection.ts"

/** The value with its label, or nothing if there is no value. */
const after = (what: string, value: string | number | null): string => (value === null ? "" : `${what}${value}`)

const numberText = (value: number | null): string => (value === null ? "?" : String(value))

const firstLine = ({ status, problems }: Verdict): string => {
  const [first, ...others] = problems
  if (first === undefined) return status
  return `${status}: ${first.says}${others.length === 0 ? "" : ` (and ${others.length} more)`}`
}

const problemLines = ({ problems }: Verdict): ReadonlyArray<string> =>
  problems.length < 2 ? [] : problems.map(({ says }: Problem) => `- ${says}`)

const summary = (cluster: Cluster) => {
  const { nodes, unowned_shards: unowned, services, streams: all, read_models, reactions, paused_webhooks } = cluster
  const edges = services?.filter(({ name }) => name === "hub-edge").length ?? null
  const log = all.find(({ name }) => name === streams.events)
  const slow = (read_models ?? []).filter(({ lag }) => lag !== 0)
  const late = reactions.filter(({ lag }) => lag !== 0)
  const behind = (rows: ReadonlyArray<{ name: string; lag: number | null }>): string =>
    rows.length === 0
      ? "none behind"
      : `behind: ${rows.map(({ name, lag }) => `${name} (${numberText(lag)})`).join(", ")}`
  return [
    `actor nodes  ${nodes.filter(({ answers }) => answers).length} of ${nodes.length} answer` +
      `  ${SHARD_COUNT - unowned.length} of ${SHARD_COUNT} shards owned`,
    `edges        ${numberText(edges)}`,
    `log          last ${numberText(log?.last_seq ?? null)}  ${numberText(log?.bytes ?? null)} bytes  ${counted(log?.replicas ?? null, "replica")}` +
      after("  led by ", log?.leader ?? null),
    `read models  ${read_models === null ? "Postgres does not answer" : `${read_models.length}, ${behind(slow)}`}`,
    `reactions    ${reactions.length}, ${behind(late)}`,
    ...(paused_webhooks?.length ? [`paused       ${paused_webhooks.map(pausedText).join("; ")}`] : [])
  ]
}

const details = ({ nodes, services, streams: all, read_models, reactions, checks }: Cluster): ReadonlyArray<string> => [
  `nodes (${nodes.length})`,
  ...nodes.map(
    (node) =>
      `  ${node.session}  ${placeOf(node)}  ${node.roles.join(",")}  since ${node.started_at}` +
      `  ${node.resident} actors resident  ${node.shards.length} shards: ${ranges(node.shards)}` +
      (node.answers ? "" : "  DOES NOT ANSWER")
  ),
  `services (${numberText(services?.length ?? null)})`,
  ...(services ?? []).map(
    (one) =>
      `  ${one.name} ${one.version}  ${placeOf(one)}  ${one.requests} requests  ${one.errors} faults` +
      `  ${one.average_ms} ms on average${after("  metrics on port ", one.metrics_port)}`
  ),
  "streams",
  ...all.map(
    (stream) =>
      `  ${stream.name}  ${numberText(stream.messages)} messages  ${numberText(stream.bytes)} bytes  last ${numberText(stream.last_seq)}` +
      `  ${counted(stream.replicas, "replica")}${after("  led by ", stream.leader)}` +
      stream.offline.map((server) => `  ${server} OFFLINE`).join("") +
      stream.lagging.map((server) => `  ${server} not current`).join("") +
      stream.consumers
        .map(({ name, pending, unacknowledged }) => `  [${name}: ${pending} pending, ${unacknowledged} unacknowledged]`)
        .join("")
  ),
  "read models",
  ...(read_models ?? []).map(
    (model) =>
      `  ${model.name} v${model.version}  watermark ${model.watermark}  ${numberText(model.lag)} behind  ${model.faults} passed over` +
      after("  being rebuilt: at ", model.rebuilt_to)
  ),
  "reactions",
  ...reactions.map(
    ({ name, watermark, lag, parked, faults }) =>
      `  ${name}  watermark ${numberText(watermark)}  ${numberText(lag)} behind  ${numberText(parked)} parked  ${numberText(faults)} passed over`
  ),
  "health",
  ...Object.entries(checks ?? {}).map(
    ([name, check]) =>
      `  ${name}  ${check.status}  ${check.observed ?? "?"} ${check.unit ?? ""}${after(": ", check.message)}`
  )
]

const output = (verdict: Verdict, cluster: Cluster | null, { values }: Arguments): string => {
  if (values.json === true) return JSON.stringify({ verdict, ...cluster }, null, 2)
  return [
    firstLine(verdict),
    ...problemLines(verdict),
    ...(cluster === null ? [] : summary(cluster)),
    ...(cluster !== null && values.all === true ? details(cluster) : [])
  ].join("\n")
}

const found = (verdict: Verdict, cluster: Cluster | null, args: Arguments): Finding =>
  new Finding(output(verdict, cluster, args), exitStatusOf(verdict.status))

/**
 * Reads the status of the cluster. If servers are not named or do not answer in time, the verdict says so. A malformed
 * address of a server is thrown as a Fault.
 */
const looked = async (args: Arguments): Promise<Finding> => {
  const away = (why: string): Finding =>
    found({ status: "down", problems: [{ status: "down", says: why }] }, null, args)
  if (!process.env["HUB_NATS_URL"] || !process.env["HUB_DATABASE_URL"])
    return away(
      "no service runs from this data folder: set HUB_DATA, or HUB_NATS_URL and HUB_DATABASE_URL for one elsewhere"
    )
  refuseSettings(process.env)
  const opening = openService(process.env, machineClock, {
    connectMs: BOUND_MS,
    answerMs: BOUND_MS,
    postgresMs: BOUND_MS,
    reconnects: -1
  })
  let why = `nats-server does not answer within ${BOUND_MS / 1000} s`
  const service = await bounded(
    opening.catch((error: unknown) => {
      why = error instanceof Error ? error.message : String(error)
      throw error
    }),
    2 * BOUND_MS
  )
  if (service === null) return away(why)
  const cluster = await clusterOf(service)
  return found(verdictOf(cluster), cluster, args)
}

export const statusCommand: Command = {
  usage: ["status [--all] [--json]"],
  servers: () => "optional",
  // The command does not wait for hanging connections: the process exits after the answer and closes them.
  alone: looked
}
