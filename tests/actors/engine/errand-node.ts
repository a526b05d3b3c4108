/** An actor node as a process of its own, for a test that freezes it: `errand-node.ts <nats> <postgres> <folder> <provider>`. */
import { connect } from "@nats-io/transport-node"
import { busServers } from "../../../schemas/bus/servers.ts"
import { jetstreamManager } from "@nats-io/jetstream"
import { openDatabase } from "../../../actors/tables/database.ts"
import { readConfig } from "../../../schemas/config.ts"
import { errandKind } from "./errand.ts"
import { startNode } from "./started-node.ts"

const [natsUrl = "", databaseUrl = "", folder = "", provider = ""] = process.argv.slice(2)
const read = readConfig({
  HUB_ENV: "development",
  HUB_NATS_URL: natsUrl,
  HUB_DATABASE_URL: databaseUrl,
  HUB_DATA: folder
})
if (!read.ok) throw new Error(read.problem)
const nats = await connect({ ...busServers(natsUrl, "operator"), maxReconnectAttempts: -1, reconnectTimeWait: 50 })
await startNode({
  nats,
  manager: await jetstreamManager(nats, { timeout: 60_000 }),
  db: openDatabase(databaseUrl),
  config: read.config,
  kinds: [errandKind(provider)]
})
process.once("disconnect", () => process.exit(0))
process.send?.("ready")
