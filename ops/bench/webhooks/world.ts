/**
 * Starts the service for the webhook benchmarks, with agents and deliveries. The benchmark writes both directly into
 * the log, in the form of the agents' commits.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { join } from "node:path"
import { connect } from "@nats-io/transport-node"
import { registrationEvents } from "../../../actors/agent/profile/decide.ts"
import { newWebhookSecret, secretPurpose } from "../../../actors/agent/webhook/secret.ts"
import { type DeliveryEvent, receiverOf } from "../../../actors/delivery/state.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { Sealer } from "../../../actors/log/seal.ts"
import { busServers } from "../../../schemas/bus/servers.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { hubIdOf } from "../../../schemas/signing/key.ts"
import { formatSeed, SEED_BYTES } from "../../../schemas/signing/seed.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { projectRoot } from "../../launcher/paths.ts"
import { type BenchStack, startService } from "../subjects-under-test.ts"

export interface World {
  readonly service: BenchStack
  readonly log: JetStreamLog
  readonly sealer: Sealer
  readonly env: NodeJS.ProcessEnv
  readonly close: () => Promise<void>
  /** The last number that this file has given to a delivery. It starts above the numbers that the service gives. */
  numbers: number
  agents: number
}

export interface BenchAgent {
  readonly id: string
  readonly url: string
}

const append = async (
  log: JetStreamLog,
  subject: string,
  op: string,
  events: ReadonlyArray<{ readonly type: string; readonly v: number }>
): Promise<void> => {
  const result = await log.append([
    { subject, expected: 0, commit: { v: 1, id: randomBytes(8).toString("hex"), op, at: Date.now(), events } }
  ])
  if (!result.ok) throw new Error(`a commit was refused: ${result.reason}`)
}

export const makeAgents = (world: World, urls: ReadonlyArray<string>): Promise<ReadonlyArray<BenchAgent>> =>
  Promise.all(
    urls.map(async (url) => {
      const key = randomBytes(32)
      const id = hubIdOf(key)
      await append(
        world.log,
        subjects.event("agent", id),
        "challenge.register",
        registrationEvents({
          type: "agent.registered",
          v: 1,
          number: ++world.agents,
          public_key: key.toString("base64"),
          handle: `b${id.slice(2, 20)}`,
          name: "Bench",
          description: "",
          transparency: "",
          links: [],
          webhook_url: url,
          webhook_secret: world.sealer.seal(newWebhookSecret(), secretPurpose(id))
        })
      )
      return { id, url }
    })
  )

export const bodyOf = (agent: string, number: number): string =>
  JSON.stringify({
    type: "agent.key_rotated",
    timestamp: new Date().toISOString(),
    notification_id: number,
    agent: { id: agent, hx_id: "HX-1000000", handle: "bench" },
    payload: { old_public_key: "A".repeat(44), new_public_key: "B".repeat(44), rotated_at: new Date().toISOString() }
  })

/** Writes one delivery in the form of an agent's commit. Returns its number. */
export const queue = async (world: World, agent: BenchAgent): Promise<number> => {
  const number = ++world.numbers
  const queued: DeliveryEvent = {
    type: "delivery.queued",
    v: 1,
    agent: agent.id,
    about: "agent.key_rotated",
    body: bodyOf(agent.id, number),
    receiver: receiverOf(agent.url)
  }
  await append(world.log, subjects.event("delivery", String(number)), "bench.notify", [queued])
  return number
}

export const startWorker = async ({ env, service }: World): Promise<ChildProcess> => {
  const child = spawn(process.execPath, ["--no-warnings", join(projectRoot, "actors", "main.ts")], {
    env: {
      ...env,
      HUB_ROLES: "webhooks",
      HUB_NATS_URL: service.stack.nats.operatorUrl,
      HUB_DATABASE_URL: service.stack.postgres.url
    },
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  await once(child, "message")
  return child
}

export const end = async (child: ChildProcess): Promise<void> => {
  child.kill("SIGTERM")
  await once(child, "exit")
}

export const openWorld = async (): Promise<World> => {
  const seed = randomBytes(SEED_BYTES)
  const more = { HUB_SERVER_KEY: formatSeed(seed).trim(), HUB_ENV: "development" }
  const service = await startService(1, 1, { env: { ...more, HUB_ROLES: "actors,queries" } })
  const nats = await connect(busServers(service.stack.nats.operatorUrl, "operator") ?? { servers: [] })
  const log = new JetStreamLog(machineClock, nats, {
    batchMax: LIMITS.service.commit_batch_max,
    queueMax: LIMITS.service.commit_queue_max
  })
  return {
    service,
    log,
    sealer: new Sealer(seed),
    numbers: 1_000_000,
    agents: 1_000_000,
    env: {
      ...more,
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      ...(process.env["NODE_OPTIONS"] === undefined ? {} : { NODE_OPTIONS: process.env["NODE_OPTIONS"] })
    },
    close: async () => {
      await nats.close()
      await service.stop()
    }
  }
}
