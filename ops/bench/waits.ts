/**
 * Measures requests that are held for owners: what an edge spends on waiting requests, and how they slow down others.
 * Agents are registered directly. Each holds one `GET /me/owner/messages?wait_seconds=` on its own connection.
 */
import { connect as connectTo, type Socket } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { connect } from "@nats-io/transport-node"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { type BenchAgent, newAgent, signedRequest } from "./agents.ts"
import { cpuOf, residentBytes } from "./cpu.ts"
import { type HttpOptions, measure, type Run } from "./http.ts"
import { registerDirectly } from "./registrations.ts"
import { type BenchStack, startService } from "./subjects-under-test.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"

const EDGES = 2
const IDLE_WAITS = 200
const MANY_WAITS = 10_000
const READERS = 256
const CLIENTS = 64
const HELD_SECONDS = 1800
const OPENING = 100
const IDLE_SECONDS = 10
const SETTLE_MS = 3000
const OPEN_DEADLINE_MS = 180_000

/** Other limits of the product are not changed: `waits_max` of two edges allows all of these requests. */
const HOLD_LIMITS = { "limits.owner.held_seconds": HELD_SECONDS }
/**
 * One client may have only a share of an edge's connections, so the waiting clients use this number of addresses of
 * this machine.
 */
const ADDRESSES = 100

const heldAt = async ({ stack }: BenchStack, edge: number): Promise<number> => {
  const url = stack.metricsOf("edge", edge)
  if (url === null) throw new Error("the edge is not scraped")
  const text = await (await fetch(url)).text()
  return Number(/^hub_edge_held_requests\{kind="owner"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

const heldOver = async (service: BenchStack, edges: number): Promise<number> => {
  const counts = await Promise.all(Array.from({ length: edges }, (_, edge) => heldAt(service, edge)))
  return counts.reduce((sum, count) => sum + count, 0)
}

const until = async (condition: () => Promise<boolean>, what: string): Promise<void> => {
  const end = performance.now() + OPEN_DEADLINE_MS
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not reached: ${what}`)
    await delay(20)
  }
}

class Waits {
  private readonly service: BenchStack
  private readonly edges: number
  private readonly sockets: Array<Socket> = []
  /** An answer to a request that should be held, or an empty text. */
  answered = ""

  constructor(service: BenchStack, edges: number) {
    this.service = service
    this.edges = edges
  }

  /** Resolves when the edges report that all requests are held. */
  async open(agents: ReadonlyArray<BenchAgent>): Promise<void> {
    for (let from = 0; from < agents.length; from += OPENING) {
      for (const [index, agent] of agents.slice(from, from + OPENING).entries()) this.send(agent, index % this.edges)
      await until(async () => this.answered !== "" || (await this.held()) >= this.sockets.length, "held requests")
      this.assertHeld()
    }
  }

  assertHeld(): void {
    if (this.answered !== "") throw new Error(`a request was not held: ${this.answered}`)
  }

  async close(): Promise<void> {
    for (const socket of this.sockets.splice(0)) socket.destroy()
    await until(async () => (await this.held()) === 0, "no held requests")
  }

  private held(): Promise<number> {
    return heldOver(this.service, this.edges)
  }

  private send(agent: BenchAgent, edge: number): void {
    const { ports, host } = this.service.measured
    const path = `/api/v1/me/owner/messages?since_id=1&per_page=1&wait_seconds=${HELD_SECONDS}`
    const localAddress = `127.0.1.${1 + (this.sockets.length % ADDRESSES)}`
    const socket = connectTo({ port: ports[edge] ?? 0, host: "127.0.0.1", localAddress })
    socket.on("data", (chunk: Buffer) => (this.answered ||= chunk.toString("latin1").slice(-300)))
    socket.on("error", (error) => (this.answered ||= error.message))
    socket.write(signedRequest(agent, host, "GET", path))
    this.sockets.push(socket)
  }
}

const edgePids = ({ measured }: BenchStack): ReadonlyArray<number> => measured.processes()["edges"] ?? []

/** Milliseconds of CPU time a second of the first edge while it is idle. */
const idleCost = async (service: BenchStack): Promise<number> => {
  await delay(SETTLE_MS)
  const pids = edgePids(service).slice(0, 1)
  const [began, before] = [performance.now(), cpuOf(pids)]
  await delay(IDLE_SECONDS * 1000)
  return (cpuOf(pids) - before) / (performance.now() - began)
}

const middle = (all: ReadonlyArray<number>): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0

const idleCase = async (
  service: BenchStack,
  agents: ReadonlyArray<BenchAgent>,
  rounds: number,
  say: (line: string) => void
): Promise<void> => {
  const [without, held]: [Array<number>, Array<number>] = [[], []]
  for (let round = 0; round < rounds; round++) {
    without.push(await idleCost(service))
    const waits = new Waits(service, 1)
    await waits.open(agents.slice(0, IDLE_WAITS))
    held.push(await idleCost(service))
    waits.assertHeld()
    await waits.close()
  }
  const told = (all: ReadonlyArray<number>) =>
    `${middle(all).toFixed(2)} (${all.map((ms) => ms.toFixed(2)).join(", ")})`
  say(
    `\n${IDLE_WAITS} held requests at one edge, nothing else to do: ms of its CPU a second, ` +
      `without ${told(without)}, with ${told(held)}`
  )
}

const row = (name: string, runs: ReadonlyArray<Run>): string => {
  const rate = runs.map(({ load }) => load.requests / load.seconds)
  return (
    `  ${name.padEnd(16)} ${middle(rate).toFixed(0).padStart(8)} requests/s` +
    `  p50 ${middle(runs.map(({ load }) => load.p50Ms)).toFixed(2)} ms` +
    `  p99 ${middle(runs.map(({ load }) => load.p99Ms)).toFixed(2)} ms`
  )
}

const ratios = (without: ReadonlyArray<Run>, held: ReadonlyArray<Run>): string => {
  const of = (pick: (run: Run) => number): string => (middle(held.map(pick)) / middle(without.map(pick))).toFixed(2)
  const cpu = (run: Run): number => Object.values(run.cpuUs).reduce((sum, us) => sum + us, 0) / run.load.requests
  return (
    `  ratios, with by without: time a request ${of(({ load }) => load.seconds / load.requests)}, ` +
    `p50 ${of(({ load }) => load.p50Ms)}, p99 ${of(({ load }) => load.p99Ms)}, CPU a request ${of(cpu)}`
  )
}

const manyCase = async (
  service: BenchStack,
  agents: ReadonlyArray<BenchAgent>,
  { seconds, rounds }: HttpOptions,
  say: (line: string) => void
): Promise<void> => {
  const request = (agent: BenchAgent, host: string) => signedRequest(agent, host, "GET", "/api/v1/me")
  const one = { title: "signed GET /me", clients: CLIENTS, request, subjects: [service.measured] }
  const readers = agents.slice(MANY_WAITS)
  const reading = async (for_: number): Promise<Run> => {
    const run = await measure(service.measured, one, readers, for_)
    const bad = Object.keys(run.load.statuses).filter((status) => status !== "200")
    if (bad.length > 0) throw new Error(`a read was answered ${JSON.stringify(run.load.statuses)}`)
    return run
  }
  await reading(1)
  const [without, held]: [Array<Run>, Array<Run>] = [[], []]
  const idle = edgePids(service).map(residentBytes)
  let resident: ReadonlyArray<number> = []
  for (let round = 0; round < rounds; round++) {
    without.push(await reading(seconds))
    const waits = new Waits(service, EDGES)
    await waits.open(agents.slice(0, MANY_WAITS))
    await delay(SETTLE_MS)
    held.push(await reading(seconds))
    waits.assertHeld()
    resident = edgePids(service).map(residentBytes)
    await waits.close()
    await delay(SETTLE_MS)
  }
  const megabytes = (all: ReadonlyArray<number>) => all.map((bytes) => (bytes / 1e6).toFixed(0)).join(" and ")
  say(`\nsigned GET /me, ${CLIENTS} clients, beside ${MANY_WAITS} held requests over ${EDGES} edges`)
  say(row("without", without))
  say(row("with", held))
  say(ratios(without, held))
  say(`  resident set of the edges: ${megabytes(idle)} MB before, ${megabytes(resident)} MB with them`)
}

export const waitCases = async (options: HttpOptions, say: (line: string) => void): Promise<void> => {
  const service = await startService(EDGES, options.actors, { limits: HOLD_LIMITS, metrics: true })
  const nats = await connect(busServers(service.stack.nats.operatorUrl, "operator") ?? { servers: [] })
  try {
    const agents = Array.from({ length: MANY_WAITS + READERS }, newAgent)
    const { commit_batch_max: batchMax, commit_queue_max: queueMax } = LIMITS.service
    const keyOf = (number: number) => Buffer.from(agents[number - 1]?.publicKey ?? "", "base64")
    await registerDirectly(new JetStreamLog(machineClock, nats, { batchMax, queueMax }), agents.length, { keyOf })
    const wants = (title: string): boolean => title.includes(options.filter)
    if (wants("idle")) await idleCase(service, agents, options.rounds, say)
    if (wants("reads beside")) await manyCase(service, agents, options, say)
  } finally {
    await nats.close()
    await service.stop()
  }
}
