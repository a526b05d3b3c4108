/**
 * Webhooks: what one worker process delivers and what that costs beside a bare loop of POSTs; what dead receivers do to
 * the others; how long it takes from the write that causes a notification to its arrival.
 *
 * The deliveries are put into the log as the agents' commits put them there, by the bench itself, so that nothing but
 * the way behind the log is measured; the last case goes through the whole service.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { connect } from "@nats-io/transport-node"
import { registrationEvents } from "../../actors/agent/decide.ts"
import { type DeliveryEvent, receiverOf } from "../../actors/delivery/state.ts"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { Sealer } from "../../actors/log/seal.ts"
import { newWebhookSecret, secretPurpose } from "../../actors/agent/webhook/secret.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { formatSeed, SEED_BYTES } from "../../schemas/signing/seed.ts"
import { hubIdOf } from "../../schemas/signing/key.ts"
import { subjects } from "../../schemas/subjects.ts"
import { AgentClient } from "../../tests/support/client.ts"
import { newIdentity } from "../../tests/support/identity.ts"
import { send } from "../../tests/support/http.ts"
import { projectRoot } from "../launcher/paths.ts"
import { cpuOf } from "./cpu.ts"
import { BYPASS, type BenchStack, startService } from "./subjects-under-test.ts"

const AGENTS = 200
const DELIVERIES = 20_000
const ROUNDS = 3
/** Fairness: receivers, how many of them are dead, deliveries a second in all, for how long. */
const RECEIVERS = 40
const DEAD = 2
const RATE = 400
const FAIR_SECONDS = 8
const FAIR_ROUNDS = 5
/** Of these seconds, what the worker and the receivers need to become acquainted. */
const FAIR_WARM_SECONDS = 2
const STEP_MS = 10
const WRITES = 400
const DEADLINE_MS = 120_000

type Say = (line: string) => void

interface Sink {
  readonly port: number
  readonly url: string
  arrived: (id: string) => void
  readonly close: () => void
}

/** A receiver that answers at once, or never. */
const sink = async (alive: boolean): Promise<Sink> => {
  const server: Server = createServer((request, response) => {
    it.arrived(String(request.headers["webhook-id"]))
    request.resume()
    if (!alive) return
    response.writeHead(204)
    response.end()
  })
  server.keepAliveTimeout = 120_000
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const it: Sink = {
    port,
    url: `http://127.0.0.1:${port}/in`,
    arrived: () => undefined,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
  return it
}

interface World {
  readonly service: BenchStack
  readonly log: JetStreamLog
  readonly sealer: Sealer
  readonly env: NodeJS.ProcessEnv
  readonly close: () => Promise<void>
  /** Numbers given so far: above those that the service itself gives here. */
  numbers: number
  agents: number
}

interface BenchAgent {
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

const makeAgents = (world: World, urls: ReadonlyArray<string>): Promise<ReadonlyArray<BenchAgent>> =>
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

const bodyOf = (agent: string, number: number): string =>
  JSON.stringify({
    type: "agent.key_rotated",
    timestamp: new Date().toISOString(),
    notification_id: number,
    agent: { id: agent, hx_id: "HX-1000000", handle: "bench" },
    payload: { old_public_key: "A".repeat(44), new_public_key: "B".repeat(44), rotated_at: new Date().toISOString() }
  })

/** One delivery, as an agent's commit begins it. The number it was given. */
const queue = async (world: World, agent: BenchAgent): Promise<number> => {
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

const startWorker = async ({ env, service }: World): Promise<ChildProcess> => {
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

const end = async (child: ChildProcess): Promise<void> => {
  child.kill("SIGTERM")
  await once(child, "exit")
}

const openWorld = async (): Promise<World> => {
  const seed = randomBytes(SEED_BYTES)
  const more = { HUB_SERVER_KEY: formatSeed(seed).trim(), HUB_ENV: "development" }
  const service = await startService(1, 1, { ...more, HUB_ROLES: "actors,queries" })
  const nats = await connect(busServers(service.stack.nats.operatorUrl, "operator") ?? { servers: [] })
  const log = new JetStreamLog(nats, {
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

const until = async (what: string, condition: () => boolean): Promise<void> => {
  const late = performance.now() + DEADLINE_MS
  while (!condition()) {
    if (performance.now() > late) throw new Error(`${what} did not come`)
    await delay(5)
  }
}

const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

interface Drained {
  readonly perSecond: number
  readonly workerUs: number
  readonly actorUs: number
}

/** A backlog that waits when the worker starts. */
const drain = async (world: World, agents: ReadonlyArray<BenchAgent>, receiver: Sink): Promise<Drained> => {
  let done = 0
  receiver.arrived = () => {
    done++
  }
  let queued = 0
  await Promise.all(
    Array.from({ length: 512 }, async () => {
      while (queued < DELIVERIES) await queue(world, agents[queued++ % agents.length] as BenchAgent)
    })
  )
  const worker = await startWorker(world)
  // Its start, and what it compiles as it begins, is not what a delivery costs.
  await until("the first deliveries", () => done > DELIVERIES * 0.2)
  const pids = [worker.pid ?? 0]
  const actors = world.service.measured.processes()["actors"] ?? []
  const from = { done, at: performance.now(), cpu: cpuOf(pids), actors: cpuOf(actors) }
  await until("the last deliveries", () => done >= DELIVERIES)
  const count = done - from.done
  const drained = {
    perSecond: (count * 1000) / (performance.now() - from.at),
    workerUs: (cpuOf(pids) - from.cpu) / count,
    actorUs: (cpuOf(actors) - from.actors) / count
  }
  await end(worker)
  return drained
}

/** `perSecond`: `null` is as fast as it goes, where the kernel hands over much at a time and each costs least. */
const bareLoop = async (
  receiver: Sink,
  perSecond: number | null
): Promise<{ readonly seconds: number; readonly cpuUs: number }> => {
  receiver.arrived = () => undefined
  const child = spawn(process.execPath, ["--no-warnings", join(import.meta.dirname, "post-loop.ts")], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  await once(child, "message")
  const order = { port: receiver.port, body: bodyOf("hx0123456789abcdef01234567", 1_000_000) }
  const run = async (count: number) => {
    child.send({ ...order, count, perSecond })
    const [result] = (await once(child, "message")) as [{ readonly seconds: number; readonly cpuUs: number }]
    return result
  }
  await run(DELIVERIES * 0.1)
  const result = await run(DELIVERIES / 2)
  child.disconnect()
  await once(child, "exit")
  return result
}

const throughput = async (world: World, say: Say): Promise<void> => {
  const receiver = await sink(true)
  const agents = await makeAgents(
    world,
    Array.from({ length: AGENTS }, () => receiver.url)
  )
  const ratios: Array<readonly [number, number]> = []
  for (let round = 0; round < ROUNDS; round++) {
    const full = await bareLoop(receiver, null)
    const { perSecond, workerUs, actorUs } = await drain(world, agents, receiver)
    const paced = await bareLoop(receiver, perSecond)
    ratios.push([workerUs / paced.cpuUs, workerUs / full.cpuUs])
    say(
      `  round ${round + 1}: ${perSecond.toFixed(0)} deliveries/s from one worker, CPU of the worker ${workerUs.toFixed(0)} us each (actors besides, which sign, log and project: ${actorUs.toFixed(0)} us); ` +
        `bare loop at the same rate ${paced.cpuUs.toFixed(0)} us, ratio ${(workerUs / paced.cpuUs).toFixed(2)}; at full speed ${full.cpuUs.toFixed(0)} us, ratio ${(workerUs / full.cpuUs).toFixed(2)}`
    )
  }
  const [same, fastest] = [median(ratios.map(([paced]) => paced)), median(ratios.map(([, full]) => full))]
  say(
    `  CPU of the worker beside a bare loop that signs the same bodies: median ${same.toFixed(2)} times at the same rate, ${fastest.toFixed(2)} times beside its full speed`
  )
  receiver.close()
}

/** Milliseconds from the log to each of the healthy receivers. */
const steady = async (world: World, dead: number): Promise<ReadonlyArray<number>> => {
  const receivers = await Promise.all(Array.from({ length: RECEIVERS }, (_, index) => sink(index >= dead)))
  const agents = await makeAgents(
    world,
    receivers.map(({ url }) => url)
  )
  const sentAt = new Map<string, number>()
  const took: Array<number> = []
  receivers.forEach((receiver, index) => {
    receiver.arrived = (id) => {
      const sent = sentAt.get(id)
      sentAt.delete(id)
      if (sent !== undefined && index >= dead) took.push(performance.now() - sent)
    }
  })
  const worker = await startWorker(world)
  let healthy = 0
  const began = performance.now()
  for (let step = 0; step * STEP_MS < FAIR_SECONDS * 1000; step++) {
    await delay(Math.max(0, began + step * STEP_MS - performance.now()))
    for (let count = 0; count < (RATE * STEP_MS) / 1000; count++) {
      const index = (step * ((RATE * STEP_MS) / 1000) + count) % RECEIVERS
      if (index >= dead) healthy++
      sentAt.set(`ntf_${world.numbers + 1}`, performance.now())
      void queue(world, agents[index] as BenchAgent)
    }
  }
  await until("the healthy receivers' deliveries", () => took.length >= healthy)
  await end(worker)
  for (const receiver of receivers) receiver.close()
  return took.slice(RATE * FAIR_WARM_SECONDS)
}

const fairness = async (world: World, say: Say): Promise<void> => {
  const ratios: Array<number> = []
  const p99 = async (dead: number): Promise<number> => quantile(await steady(world, dead), 0.99)
  for (let round = 0; round < FAIR_ROUNDS; round++) {
    // Turn about, so that what drifts on the machine does not always hit the same.
    const first = await p99(round % 2 === 0 ? 0 : DEAD)
    const second = await p99(round % 2 === 0 ? DEAD : 0)
    const [without, beside] = round % 2 === 0 ? [first, second] : [second, first]
    ratios.push(beside / without)
    say(
      `  round ${round + 1}: ${RATE} deliveries/s to ${RECEIVERS} receivers: p99 ${without.toFixed(1)} ms; with ${DEAD} of them dead ${beside.toFixed(1)} ms for the others; ratio ${(beside / without).toFixed(2)}`
    )
  }
  say(`  p99 of the healthy beside dead receivers: median ${median(ratios).toFixed(2)} times`)
}

const registered = async (client: AgentClient, edge: string, webhook: string): Promise<void> => {
  const asked = await send({
    edge,
    method: "POST",
    path: "/api/v1/register/challenge",
    body: JSON.stringify({ public_key: client.identity.publicKey })
  })
  const { id } = asked.json.data as { readonly id: string }
  const body = {
    challenge_id: id,
    handle: "bench-hook",
    name: "Bench",
    answers: {},
    captcha_bypass: BYPASS,
    webhook_url: webhook
  }
  const answer = await client.call("POST", "/api/v1/register", { body })
  if (answer.status !== 201) throw new Error(`not registered: ${answer.text}`)
}

const latency = async (world: World, say: Say): Promise<void> => {
  const receiver = await sink(true)
  const { baseUrl } = world.service
  const client = new AgentClient({ edge: () => baseUrl })
  await registered(client, baseUrl, receiver.url)
  const worker = await startWorker(world)
  const arrivals: Array<number> = []
  const exchanges: Array<number> = []
  let arrivedAt = 0
  receiver.arrived = () => {
    arrivedAt = performance.now()
  }
  for (let write = 0; write < WRITES; write++) {
    const body = { recovery_public_key: newIdentity().publicKey }
    arrivedAt = 0
    const from = performance.now()
    const answer = await client.call("PUT", "/api/v1/me/recovery", { body })
    if (answer.status !== 200) throw new Error(`not written: ${answer.text}`)
    await until("the delivery", () => arrivedAt > 0)
    const asked = performance.now()
    await client.call("GET", "/api/v1/me")
    if (write < WRITES / 10) continue
    arrivals.push(arrivedAt - from)
    exchanges.push(performance.now() - asked)
  }
  await end(worker)
  receiver.close()
  const [p50, p99] = [quantile(arrivals, 0.5), quantile(arrivals, 0.99)]
  const [r50, r99] = [quantile(exchanges, 0.5), quantile(exchanges, 0.99)]
  say(
    `  from the write's request to the webhook's arrival: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; one signed GET /me: p50 ${r50.toFixed(1)} ms, p99 ${r99.toFixed(1)} ms; ratio ${(p50 / r50).toFixed(1)} and ${(p99 / r99).toFixed(1)}`
  )
}

const CASES = { throughput, fairness, latency }

/** `filter`: only cases whose name holds this text. */
export const webhookCases = async (say: Say, filter: string): Promise<void> => {
  const world = await openWorld()
  try {
    for (const [name, run] of Object.entries(CASES)) {
      if (!name.includes(filter)) continue
      say(`\nwebhooks, ${name}`)
      await run(world, say)
    }
  } finally {
    await world.close()
  }
}
