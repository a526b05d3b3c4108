/**
 * Measures a takeover. One of three actor nodes under a steady load gets SIGKILL, and its agents wait until other nodes
 * answer for them. In the same run it measures the time to write one lease.
 *
 * An agent's wait consists of these phases:
 * - `noticing`, until the dead session's key is ended;
 * - `claiming`, until the lease of the agent's shard has a new owner;
 * - `nonces`, until the new owner reads the first log in that shard. It has read the log of nonces and got a repeated
 *   ask by then;
 * - `answering`, the read of the actor's log and the request itself.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as delay } from "node:timers/promises"
import { connect } from "@nats-io/transport-node"
import { PROJECTOR } from "../../actors/process/node.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { shardOf } from "../../schemas/subjects.ts"
import { register } from "./agents.ts"
import { type BenchStack, BYPASS, startService } from "./subjects-under-test.ts"
import { agentsOfAllShards, Client, type Gap } from "./takeover/clients.ts"
import { TakeoverWatch } from "./takeover/watch.ts"

const ACTORS = 3
/** Writes of a lease that are measured before each kill. */
const CLAIMS = 20
/** Answers that each client must get before a kill, and after the last claim. */
const ANSWERS = 3
const LOOK_MS = 10
const WAIT_MAX_MS = 60_000
const WANTED_MS = 500
const WANTED_CLAIMS = 5
const NS_PER_MS = 1e6

const PHASES = ["noticing", "claiming", "nonces", "answering"] as const
type Phases = Readonly<Record<(typeof PHASES)[number], number>>

interface Waited extends Gap {
  readonly phases: Phases
}

interface Takeover {
  /** True if the node ran the projections, for which every write waits. */
  readonly projected: boolean
  /**
   * Milliseconds from the kill. `goneMs`: until the process was gone. `suspectedMs`: until an edge asked in vain;
   * `null` if none did. `firstMs`: until an agent of the dead node had an answer.
   */
  readonly goneMs: number
  readonly suspectedMs: number | null
  readonly firstMs: number
  /** The waits of agents whose node died. */
  readonly waited: ReadonlyArray<Waited>
  /** The longest wait of all agents, including those of other nodes. */
  readonly longestMs: number
}

interface World {
  readonly service: BenchStack
  readonly watch: TakeoverWatch
  readonly clients: ReadonlyArray<Client>
}

export const takeoverCase = async (kills: number, say: (line: string) => void): Promise<void> => {
  const service = await startService(1, ACTORS)
  const nats = await connect(busServers(service.stack.nats.operatorUrl, "operator") ?? { servers: [] })
  const late = monitorEventLoopDelay({ resolution: 1 })
  try {
    const watch = await TakeoverWatch.open(nats)
    const clients = await registered(service)
    const world = { service, watch, clients }
    const ended = Promise.all(clients.map((client) => client.run()))
    late.enable()
    const [claims, taken] = await Promise.race([measured(world, kills), ended.then(() => Promise.reject(NOT_YET))])
    late.disable()
    for (const client of clients) client.stop()
    await ended
    printTakeovers(say, claims, taken)
    say(`  answers that were refused: ${JSON.stringify(refusedOf(clients))}`)
    say(`  the measuring process itself was late by ${ms(late.percentile(99) / NS_PER_MS)} at p99`)
  } finally {
    await nats.close()
    await service.stop()
  }
}

const NOT_YET = new Error("the clients ended before the measurement")

const registered = async ({ baseUrl, measured: { ports } }: BenchStack): Promise<ReadonlyArray<Client>> => {
  const agents = agentsOfAllShards()
  for (const [shard, agent] of agents.entries()) await register(baseUrl, agent, `taken-${shard}`, BYPASS)
  return agents.map((agent, shard) => new Client(shard, agent, ports[0] ?? 0))
}

const measured = async (
  world: World,
  kills: number
): Promise<readonly [ReadonlyArray<number>, ReadonlyArray<Takeover>]> => {
  const claims: Array<number> = []
  const taken: Array<Takeover> = []
  for (let kill = 0; kill < kills; kill++) {
    await steady(world)
    for (let claim = 0; claim < CLAIMS; claim++) claims.push(await world.watch.claim(`bench ${claim}`))
    // Claims wake every node that watches the leases. After this number of answers all of them are idle again.
    await steady(world)
    taken.push(await killed(world, kill % ACTORS))
    await world.service.stack.actors[kill % ACTORS]?.restart()
  }
  return [claims, taken]
}

/** Waits until every node has its shards and every agent has got `ANSWERS` answers. */
const steady = async ({ service, watch, clients }: World): Promise<void> => {
  await until("a balanced cluster", () => watch.balanced(service.stack.actors.map(({ pid }) => pid)))
  await answered(clients, performance.now())
}

const answered = (clients: ReadonlyArray<Client>, from: number): Promise<void> =>
  until("answers to every agent", () => clients.every((client) => client.answeredSince(from) >= ANSWERS))

const until = async (what: string, holds: () => boolean): Promise<void> => {
  for (const end = performance.now() + WAIT_MAX_MS; !holds(); await delay(LOOK_MS))
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
}

const killed = async ({ service, watch, clients }: World, index: number): Promise<Takeover> => {
  const node = service.stack.actors[index]
  const session = watch.sessionOf(node?.pid ?? null) ?? ""
  const shards = watch.shardsOf(session)
  const hit = clients.filter(({ shard }) => shards.includes(shard))
  watch.forget()
  for (const client of clients) client.forget()
  const killedAt = performance.now()
  await node?.kill()
  const goneMs = performance.now() - killedAt
  await until("new owners", () => shards.every((shard) => watch.claimed.has(shard)))
  await answered(clients, Math.max(...watch.claimed.values()))
  const waited = hit.map((client) => {
    const gap = client.longestGap(killedAt)
    return { ...gap, phases: phasesOf(watch, session, client.shard, gap) }
  })
  const suspected = watch.suspected.get(session)
  return {
    projected: shards.includes(shardOf(PROJECTOR)),
    goneMs,
    suspectedMs: suspected === undefined ? null : suspected - killedAt,
    firstMs: Math.min(...waited.map(({ to }) => to)) - killedAt,
    waited,
    longestMs: Math.max(...clients.map((client) => lengthOf(client.longestGap(killedAt))))
  }
}

const lengthOf = ({ from, to }: Gap): number => to - from

/** Each phase begins at the end of the one before. A phase without an observed end has no length. */
const phasesOf = (watch: TakeoverWatch, session: string, shard: number, { from, to }: Gap): Phases => {
  const within = (time: number | undefined, before: number): number => Math.min(Math.max(time ?? before, before), to)
  const noticed = within(watch.ended.get(session), from)
  const claimed = within(watch.claimed.get(shard), noticed)
  const loading = within(watch.loading.get(shard), claimed)
  return {
    noticing: noticed - from,
    claiming: claimed - noticed,
    nonces: loading - claimed,
    answering: to - loading
  }
}

const refusedOf = (clients: ReadonlyArray<Client>): Readonly<Record<string, number>> => {
  const all: Record<string, number> = {}
  for (const { refused } of clients)
    for (const [status, count] of Object.entries(refused)) all[status] = (all[status] ?? 0) + count
  return all
}

const at = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((all, value) => all + value, 0)

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`

const spread = (values: ReadonlyArray<number>): string =>
  [0.5, 0.9, 0.99, 1].map((share) => at(values, share).toFixed(1).padStart(9)).join("")

const printTakeovers = (
  say: (line: string) => void,
  claims: ReadonlyArray<number>,
  taken: ReadonlyArray<Takeover>
): void => {
  const waited = taken.flatMap((one) => one.waited)
  const gaps = waited.map(lengthOf)
  const of = (kind: Gap["kind"], ...projected: ReadonlyArray<boolean>): ReadonlyArray<number> =>
    taken
      .filter((one) => projected.length === 0 || projected.includes(one.projected))
      .flatMap((one) => one.waited.filter((gap) => gap.kind === kind).map(lengthOf))
  const row = (name: string, values: ReadonlyArray<number>, more = ""): void =>
    say(`  ${name.padEnd(44)}${String(values.length).padStart(6)}${spread(values)}${more}`)
  say(`\ntakeover after SIGKILL of one of ${ACTORS} actor nodes, ${taken.length} times, in ms`)
  say(`  ${"".padEnd(44)} count      p50      p90      p99      max`)
  row("an agent of the dead node waits", gaps)
  row("  for a read", of("read"))
  row("  for a write", of("write", false))
  row("  for a write, with the projections' node dead", of("write", true))
  for (const phase of PHASES) {
    const parts = waited.map(({ phases }) => phases[phase])
    row(`  of that: ${phase}`, parts, `   ${((100 * sum(parts)) / sum(gaps)).toFixed(0).padStart(3)} %`)
  }
  row(
    "until the process is gone",
    taken.map(({ goneMs }) => goneMs)
  )
  row(
    "until an edge asks in vain",
    taken.flatMap(({ suspectedMs }) => (suspectedMs === null ? [] : [suspectedMs]))
  )
  row(
    "until the first agent is answered",
    taken.map(({ firstMs }) => firstMs)
  )
  row(
    "the longest that any agent waits, each time",
    taken.map(({ longestMs }) => longestMs)
  )
  row("writing one lease", claims)
  const p99 = at(gaps, 0.99)
  say(
    `  p99 is ${(p99 / at(claims, 0.5)).toFixed(1)} times the p50 and ` +
      `${(p99 / at(claims, 0.99)).toFixed(1)} times the p99 of writing a lease ` +
      `(wanted: ${WANTED_CLAIMS}), and ${p99 < WANTED_MS ? "" : "not "}below ${WANTED_MS} ms`
  )
}
