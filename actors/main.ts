/**
 * An actor process: joins the bus, owns shards, keeps the read models, answers queries, delivers to webhooks (as
 * HUB_ROLES says). Exit status 78 is a fault of configuration, told in one line; 0 is a clean end.
 */
import { setFlagsFromString } from "node:v8"
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { busRoleOf } from "../schemas/bus/roles.ts"
import { busServers } from "../schemas/bus/servers.ts"
import { readConfig } from "../schemas/config.ts"
import { openTracing } from "../schemas/trace/open.ts"
import { SEEDED_CATEGORIES } from "./category/actor.ts"
import { openDatabase } from "./database.ts"
import { findStreams } from "./engine/streams.ts"
import { startWebhooks } from "./fanout/start.ts"
import { type RunningNode, startNode } from "./node-runtime.ts"
import { agentsQuery, scoresQuery } from "./queries/agents.ts"
import { deliveriesQuery } from "./queries/deliveries.ts"
import { openProcessMetrics } from "./metrics/process.ts"
import { queryCalls } from "./metrics/queries.ts"
import { MetricsPortProblem } from "../schemas/metrics/listener.ts"
import { healthQuery } from "./queries/health.ts"
import { directoryBlockQuery, directoryQuery } from "./queries/identities.ts"
import { categoriesQuery, statsQuery } from "./queries/meta.ts"
import { notificationsAfterQuery, notificationsNewestQuery, notificationsQuery } from "./queries/notifications.ts"
import { serveQueries } from "./queries/serve.ts"
import { readBank } from "./registration/questions/bank/own.ts"
import { bankProblem } from "./registration/questions/bank/wanted.ts"
import { serverSeed } from "./server-key.ts"

// Left to itself, V8 gives a process that has been idle so little room to grow that under load every collection is a
// full one.
setFlagsFromString("--heap-growing-percent=50")

const CONFIGURATION_FAULT = 78
const STOP_WITHIN_MS = 8000
const STREAMS_RETRY_MS = 250
const PING_INTERVAL_MS = 2000
const PINGS_UNANSWERED_MAX = 2
const CONNECT_TIMEOUT_MS = 2000
const SEED_DEADLINE_MS = 15_000

const giveUp = (problem: string): never => {
  process.stderr.write(`${problem}\n`)
  process.exit(CONFIGURATION_FAULT)
}

const read = readConfig(process.env)
if (!read.ok) giveUp(read.problem)
const config = read.ok ? read.config : giveUp("unreachable")
/** Who owns no shards needs no key. */
const owner = config.roles.includes("actors")
/** Who only delivers talks to strangers all day: it has neither the key nor the database. */
const readsTables = owner || config.roles.includes("queries")
if (readsTables && config.databaseUrl === null)
  giveUp("HUB_DATABASE_URL is required: the address of a Postgres database")

const seedOf = (): Uint8Array => {
  const seeded = serverSeed(config, process.env)
  return seeded.ok ? seeded.seed : giveUp(seeded.problem)
}
const seed = owner ? seedOf() : null

const bankRead = readBank(owner ? config.questions : null)
const bank = bankRead.ok ? bankRead.bank : giveUp(bankRead.problem)
const wordsProblem = owner ? bankProblem(config, bank) : null
if (wordsProblem !== null) giveUp(wordsProblem)

const nats: NatsConnection = await connect({
  ...(busServers(config.natsUrl, busRoleOf(config.roles)) ?? giveUp("HUB_NATS_URL is not an address")),
  name: `hub-actors-${process.pid}`,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 100,
  waitOnFirstConnect: true,
  // A server whose machine is gone says nothing: the line to it is given up after some silence, and another one tried.
  pingInterval: PING_INTERVAL_MS,
  maxPingOut: PINGS_UNANSWERED_MAX,
  timeout: CONNECT_TIMEOUT_MS,
  // Without their stacks: one is made for every request otherwise.
  noAsyncTraces: true
})

/** What the server refuses this user is a fault of the deployment. */
const tellRefusals = async (): Promise<void> => {
  for await (const status of nats.status()) {
    if (status.type === "error")
      process.stderr.write(`${JSON.stringify({ level: "error", at: "bus", error: String(status.error) })}\n`)
  }
}
void tellRefusals()
/** Every role does its work, and none has been told to end. */
let ready = false
const metrics = openProcessMetrics(nats, config)
const endScrapes = await metrics
  .listen(() => ready)
  .catch((error: unknown) => giveUp(error instanceof MetricsPortProblem ? error.message : String(error)))

const streamsReady = async () => {
  for (;;) {
    try {
      return await findStreams(nats, owner)
    } catch (error) {
      // JetStream may still be starting, or hub migrate be under way.
      process.stderr.write(`waiting for the streams: ${String(error)}\n`)
      await new Promise((resolve) => setTimeout(resolve, STREAMS_RETRY_MS))
    }
  }
}

const manager = await streamsReady()
const traces = openTracing(config.traces, "hub-actors", (line) =>
  console.error(JSON.stringify({ level: "warn", at: "traces", error: line }))
)
const { tracing } = traces
const db = openDatabase(config.databaseUrl ?? "")
let node: RunningNode | null = null
if (seed !== null) {
  node = await startNode({ nats, manager, db, config, seed, bank, metrics, tracing })
  for (const { slug, ...category } of SEEDED_CATEGORIES) {
    void node.asker.ask({
      id: `seed-${slug}`,
      kind: "category",
      actor: slug,
      op: "category.seed",
      input: category,
      deadline: Date.now() + SEED_DEADLINE_MS
    })
  }
}
const answersLists = config.roles.includes("queries")
const calls = owner || answersLists ? queryCalls(metrics) : null
// How far the log is, only those tell who may read it.
if (owner && calls !== null) serveQueries(nats, { health: healthQuery({ db, manager, config }) }, calls, tracing)
if (answersLists && calls !== null) {
  serveQueries(
    nats,
    {
      agents: agentsQuery(db, config.baseUrl),
      scores: scoresQuery(db),
      notifications: notificationsQuery(db),
      notifications_after: notificationsAfterQuery(db),
      notifications_newest: notificationsNewestQuery(db),
      deliveries: deliveriesQuery(db, config.limits),
      directory: directoryQuery(db),
      directory_block: directoryBlockQuery(db, config.baseUrl),
      categories: categoriesQuery(db),
      stats: statsQuery(db),
      alive: () => Promise.resolve(null)
    },
    calls,
    tracing
  )
}
const webhooks = config.roles.includes("webhooks")
  ? await startWebhooks({ nats, manager, config, tracing, asker: node?.asker ?? null, metrics })
  : null

let stopping = false
const stop = async (): Promise<void> => {
  if (stopping) return
  stopping = true
  ready = false
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
  await webhooks?.stop()
  await node?.stop().catch((error: unknown) => process.stderr.write(`stopping: ${String(error)}\n`))
  // With the server gone there is nothing to drain into.
  await Promise.all([
    Promise.race([nats.drain().catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 1000))]),
    traces.stop()
  ])
  await db.destroy().catch(() => undefined)
  await endScrapes()
  process.exit(0)
}
process.on("SIGTERM", () => void stop())
process.on("SIGINT", () => void stop())
process.on("disconnect", () => void stop())
ready = true
process.send?.({ ready: true })
