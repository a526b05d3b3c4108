/** The HTTP cases: signed reads and durable writes, of the service and of the baselines, in alternating rounds. */
import { type BenchAgent, newAgent, register, signedRequest, verifyRequest } from "./agents.ts"
import { cpuOf } from "./cpu.ts"
import { type LoadResult, runLoad } from "./load.ts"
import { BYPASS, type Measured, startBaseline, startService } from "./subjects-under-test.ts"

export interface Row {
  readonly name: string
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of all processes for one request, in verifications as measured in this run. */
  readonly verifications: number
  /** The same figure for the cheapest round, which other work on the machine disturbed least. */
  readonly quietest: number
  /** The figure of `verifications` for each kind of process. */
  readonly parts: Readonly<Record<string, number>>
}

export interface Run {
  readonly load: LoadResult
  /** Microseconds of CPU time by kind of process. */
  readonly cpuUs: Readonly<Record<string, number>>
}

const cpuByKind = (subject: Measured): Record<string, number> =>
  Object.fromEntries(Object.entries(subject.processes()).map(([kind, pids]) => [kind, cpuOf(pids)]))

export interface HttpOptions {
  readonly edges: number
  readonly actors: number
  readonly seconds: number
  readonly rounds: number
  /** Microseconds of one verification, measured in this run. */
  readonly verificationUs: number
  /** If not empty, only cases whose title contains this text are run. */
  readonly filter: string
}

export interface Case {
  readonly title: string
  readonly clients: number
  readonly request: (agent: BenchAgent, host: string, index: number) => Buffer
  readonly subjects: ReadonlyArray<Measured>
}

const AGENTS = 256
/** The number of requests that are signed in advance for each second of a run. A run sends no more. */
const SIGNED_PER_SECOND = 8000

const read: Case["request"] = (agent, host) => signedRequest(agent, host, "GET", "/api/v1/me")
const home: Case["request"] = (agent, host) =>
  signedRequest(agent, host, "GET", `/api/v1/me/home?since=${Math.floor(Date.now() / 1000)}`)
const write: Case["request"] = (agent, host, index) =>
  signedRequest(
    agent,
    host,
    "PATCH",
    "/api/v1/me",
    JSON.stringify({ description: `The description of this agent, version ${index} of it.` })
  )

export const measure = async (
  subject: Measured,
  one: Case,
  agents: ReadonlyArray<BenchAgent>,
  seconds: number
): Promise<Run> => {
  const total = Math.ceil(SIGNED_PER_SECOND * seconds)
  const requests = Array.from({ length: total }, (_, index) =>
    one.request(agents[index % agents.length] as BenchAgent, subject.host, index)
  )
  let sent = 0
  const before = cpuByKind(subject)
  const until = performance.now() + seconds * 1000
  const load = await runLoad(subject.ports, one.clients, () =>
    performance.now() < until ? (requests[sent++] ?? null) : null
  )
  const after = cpuByKind(subject)
  return {
    load,
    cpuUs: Object.fromEntries(Object.entries(after).map(([kind, us]) => [kind, us - (before[kind] ?? 0)]))
  }
}

export const summarise = (name: string, runs: ReadonlyArray<Run>, verificationUs: number): Row => {
  for (const { load } of runs) {
    const bad = Object.keys(load.statuses).filter((status) => !status.startsWith("2"))
    if (bad.length > 0) throw new Error(`${name} answered ${JSON.stringify(load.statuses)}`)
  }
  const cost = (run: Run) =>
    Object.values(run.cpuUs).reduce((total, us) => total + us, 0) / run.load.requests / verificationUs
  const sum = (pick: (run: Run) => number) => runs.reduce((total, run) => total + pick(run), 0)
  const requests = sum((run) => run.load.requests)
  const kinds = Object.keys(runs[0]?.cpuUs ?? {})
  const parts = Object.fromEntries(
    kinds.map((kind) => [kind, sum((run) => run.cpuUs[kind] ?? 0) / requests / verificationUs])
  )
  return {
    name,
    parts,
    requestsPerSecond: requests / sum((run) => run.load.seconds),
    p50Ms: sum((run) => run.load.p50Ms) / runs.length,
    p99Ms: sum((run) => run.load.p99Ms) / runs.length,
    verifications: Object.values(parts).reduce((total, part) => total + part, 0),
    quietest: Math.min(...runs.map(cost))
  }
}

export const httpCases = async (
  options: HttpOptions,
  show: (title: string, rows: ReadonlyArray<Row>) => void
): Promise<void> => {
  const service = await startService(options.edges, options.actors)
  const postgresPid = service.stack.postgres.role?.pid ?? 0
  const floor = await startBaseline("floor", {}, {})
  const monolith = await startBaseline(
    "monolith",
    { BENCH_DATABASE_URL: service.stack.postgres.url },
    { postgres: [postgresPid] }
  )
  try {
    const agents = Array.from({ length: AGENTS }, newAgent)
    for (let from = 0; from < AGENTS; from += 16) {
      await Promise.all(
        agents
          .slice(from, from + 16)
          .map((agent, index) => register(service.baseUrl, agent, `bench-${from + index}`, BYPASS))
      )
    }
    await seedMonolith(monolith.measured, agents)
    const cases: ReadonlyArray<Case> = [
      {
        title: "signed GET /me, 64 clients",
        clients: 64,
        request: read,
        subjects: [service.measured, monolith.measured, floor.measured]
      },
      { title: "signed GET /me/home, 64 clients", clients: 64, request: home, subjects: [service.measured] },
      { title: "POST /id/verify, 64 clients", clients: 64, request: verifyRequest, subjects: [service.measured] },
      { title: "PATCH /me, 64 clients", clients: 64, request: write, subjects: [service.measured, monolith.measured] },
      { title: "PATCH /me, 256 clients", clients: 256, request: write, subjects: [service.measured, monolith.measured] }
    ]
    for (const one of cases.filter((candidate) => candidate.title.includes(options.filter))) {
      const runs = new Map<string, Array<Run>>()
      for (const subject of one.subjects) await measure(subject, one, agents, 1)
      for (let round = 0; round < options.rounds; round++) {
        for (const subject of one.subjects) {
          const run = await measure(subject, one, agents, options.seconds)
          runs.set(subject.name, [...(runs.get(subject.name) ?? []), run])
        }
      }
      show(
        one.title,
        [...runs].map(([name, all]) => summarise(name, all, options.verificationUs))
      )
    }
  } finally {
    await Promise.allSettled([floor.stop(), monolith.stop()])
    await service.stop()
  }
}

const seedMonolith = async (monolith: Measured, agents: ReadonlyArray<BenchAgent>): Promise<void> => {
  const filler = {
    name: "Bench",
    description: "d".repeat(60),
    links: [],
    transparency: "",
    scores: { trust: 10, reputation: 0 },
    padding: "x".repeat(500)
  }
  for (const agent of agents) {
    await fetch(`http://127.0.0.1:${monolith.ports[0]}/agents`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key: agent.publicKey, profile: { ...filler, public_key: agent.publicKey } })
    })
  }
}
