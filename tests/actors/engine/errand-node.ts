/** An actor node as a process of its own, for a test that freezes it: `errand-node.ts <nats> <postgres> <folder> <provider>`. */
import { connect } from "@nats-io/transport-node"
import { jetstreamManager } from "@nats-io/jetstream"
import { openDatabase } from "../../../actors/database.ts"
import { openProcessMetrics } from "../../../actors/metrics/process.ts"
import { startNode } from "../../../actors/node-runtime.ts"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { readConfig } from "../../../schemas/config.ts"
import { NO_TRACING } from "../../../schemas/trace/tracing.ts"
import { errandKind } from "./errand.ts"

const [natsUrl = "", databaseUrl = "", folder = "", provider = ""] = process.argv.slice(2)
const read = readConfig({
  HUB_ENV: "development",
  HUB_NATS_URL: natsUrl,
  HUB_DATABASE_URL: databaseUrl,
  HUB_DATA: folder
})
if (!read.ok) throw new Error(read.problem)
const nats = await connect({ servers: natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 50 })
await startNode({
  nats,
  manager: await jetstreamManager(nats),
  db: openDatabase(databaseUrl),
  config: read.config,
  seed: new Uint8Array(32),
  bank: OUR_BANK,
  metrics: openProcessMetrics(nats, read.config),
  tracing: NO_TRACING,
  kinds: [errandKind(provider)]
})
process.once("disconnect", () => process.exit(0))
process.send?.("ready")
