/**
 * Measures a compartment from the request that makes it until the first line of its program is read, and the time of
 * stop, start and restart. In the same run it measures `docker run` with the same image until the first line, on a
 * network of the same engine. The two measurements alternate.
 *
 * It needs root. The engine and the small image are made by the product's own code (ops/runtime/) below the bench's
 * folder, and removed at the end.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { EngineNetworks } from "../../actors/runtime/host/docker.ts"
import { Network } from "../../actors/runtime/network/network.ts"
import type { Compartment, LogLine, RuntimeOffer } from "../../schemas/compartment/records.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { clientOf } from "../runtime/engine-client.ts"
import { engineFor, stopEngine } from "../runtime/engine.ts"
import { buildImage } from "../runtime/image.ts"
import { placesOf } from "../runtime/places.ts"
import { ensurePrograms, requireRoot } from "../runtime/programs.ts"
import { type BenchAgent, newAgent, register, signedHeaders } from "./agents.ts"
import { sent } from "./content/writing.ts"
import { BYPASS, startService } from "./subjects-under-test.ts"

/** The first round is not counted. */
const ROUNDS = 11
const PLACES = 2
const WAIT_MAX_MS = 120_000
const LOOK_MS = 20
const WANTED_RATIO = 1.3
const WANTED_MS = 5000
const PATH = "/api/v1/compartments"
const COMMAND = "echo first; exec sleep 600"
const NETWORK = "bench"
/** The measured operations. The program ends immediately on SIGTERM, like most programs. */
const VERBS = ["stop", "start", "restart"] as const

interface World {
  readonly baseUrl: string
  readonly agent: BenchAgent
  readonly socket: string
  readonly image: string
}

type Times = Readonly<Record<"docker run" | "first line" | (typeof VERBS)[number], number>>

const asked = async ({ baseUrl, agent }: World, method: string, path: string, body?: object): Promise<unknown> => {
  const text = body === undefined ? "" : JSON.stringify(body)
  return sent(baseUrl + path, {
    method,
    headers: {
      ...signedHeaders(agent, new URL(baseUrl).host, method, path, text),
      ...(text === "" ? {} : { "content-type": "application/json" })
    },
    ...(text === "" ? {} : { body: text })
  })
}

const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + WAIT_MAX_MS; !(await holds()); await delay(LOOK_MS))
    if (performance.now() > end) throw new Error(`${what}: not within ${WAIT_MAX_MS} ms`)
}

const timed = async (run: () => Promise<void>): Promise<number> => {
  const begin = performance.now()
  await run()
  return performance.now() - begin
}

const dockerRun = async ({ socket, image }: World): Promise<number> => {
  const docker = (...args: ReadonlyArray<string>) =>
    spawn("docker", ["--host", `unix://${socket}`, ...args], { stdio: ["ignore", "pipe", "inherit"] })
  const name = "bench-run"
  let run: ReturnType<typeof docker> | undefined
  const took = await timed(async () => {
    run = docker("run", "--name", name, "--network", NETWORK, image, "bash", "-lc", COMMAND)
    const [line] = (await once(run.stdout, "data")) as [Buffer]
    if (!line.toString().startsWith("first")) throw new Error(`docker run printed ${line.toString()}`)
  })
  await once(docker("rm", "--force", name), "exit")
  if (run?.exitCode === null) await once(run, "exit")
  return took
}

const linesOf = async (world: World, id: string): Promise<ReadonlyArray<LogLine>> =>
  (await asked(world, "GET", `${PATH}/${id}/logs?limit=20`)) as ReadonlyArray<LogLine>

const runs = (world: World, id: string): Promise<number> =>
  linesOf(world, id).then((lines) => lines.filter(({ line }) => line === "first").length)

/** Reads the first line of a log like a client that follows it: the request is held until there is a line. */
const firstLine = async (world: World, id: string): Promise<void> => {
  let since = 0
  await until("a first line", async () => {
    const path = `${PATH}/${id}/logs?since_id=${since}&wait_seconds=20`
    const lines = (await asked(world, "GET", path)) as ReadonlyArray<LogLine>
    since = lines.at(-1)?.id ?? since
    return lines.some(({ line }) => line === "first")
  })
}

const isStatus = async (world: World, id: string, status: Compartment["status"]): Promise<boolean> =>
  ((await asked(world, "GET", `${PATH}/${id}`)) as Compartment).status === status

const compartmentRun = async (world: World, round: number): Promise<Omit<Times, "docker run">> => {
  const wanted = { name: `bench-${round}`, command: COMMAND, accept_terms: true }
  let id = ""
  const first = await timed(async () => {
    id = ((await asked(world, "POST", PATH, wanted)) as Compartment).id
    await firstLine(world, id)
  })
  await until("running", () => isStatus(world, id, "running"))
  const moved = (verb: string, holds: () => Promise<boolean>): Promise<number> =>
    timed(async () => {
      await asked(world, "POST", `${PATH}/${id}/${verb}`)
      await until(verb, holds)
    })
  const stop = await moved("stop", () => isStatus(world, id, "stopped"))
  const start = await moved("start", async () => (await runs(world, id)) === 2)
  await until("running", () => isStatus(world, id, "running"))
  const restart = await moved("restart", async () => (await runs(world, id)) === 3)
  await until("running", () => isStatus(world, id, "running"))
  await asked(world, "DELETE", `${PATH}/${id}`, { confirm: wanted.name })
  await until("gone", async () => ((await asked(world, "GET", PATH)) as ReadonlyArray<unknown>).length === 0)
  return { "first line": first, stop, start, restart }
}

const middleOf = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

const printTimes = (say: (line: string) => void, all: ReadonlyArray<Times>): void => {
  const column = (name: keyof Times): ReadonlyArray<number> => all.map((times) => times[name])
  const shown = (name: keyof Times): string =>
    `${name.padEnd(12)} median ${middleOf(column(name)).toFixed(0)} ms, longest ${Math.max(...column(name)).toFixed(0)} ms`
  say(`\ncompartments, ${all.length} rounds`)
  say(`  ${shown("docker run")}`)
  const ratio = middleOf(all.map((times) => times["first line"] / times["docker run"]))
  say(`  ${shown("first line")}; ${ratio.toFixed(2)} x docker run, wanted ${WANTED_RATIO} at most`)
  for (const verb of VERBS) say(`  ${shown(verb)}; wanted ${WANTED_MS} ms at most`)
}

const measured = async (world: World, say: (line: string) => void): Promise<void> => {
  const all: Array<Times> = []
  for (let round = 0; round < ROUNDS; round++) {
    const baseline = await dockerRun(world)
    const times = { "docker run": baseline, ...(await compartmentRun(world, round)) }
    if (round > 0) all.push(times)
  }
  printTimes(say, all)
}

/**
 * A host leaves its bridges, rules and resolver for its next start. This host does not start again, so they are
 * removed.
 */
const removeNetwork = async (folder: string, socket: string): Promise<void> => {
  const network = await Network.open({
    folder,
    max: PLACES,
    engine: new EngineNetworks(socket),
    egressKbit: LIMITS.runtime.quotas.egress_kbit,
    service: null,
    dns: [],
    masquerade: true
  })
  await network.close({ remove: true })
}

const overEngine = async (socket: string, image: string, say: (line: string) => void): Promise<void> => {
  const network = await clientOf(socket).createNetwork({ Name: NETWORK, Driver: "bridge" })
  const service = await startService(1, 1, {
    runtime: true,
    keeper: true,
    env: { HUB_DOCKER_SOCKET: socket, HUB_RUNTIME_IMAGE: image, HUB_RUNTIME_MAX: String(PLACES) }
  })
  try {
    const world = { baseUrl: service.baseUrl, agent: newAgent(), socket, image }
    await register(world.baseUrl, world.agent, "bench-runtime", BYPASS)
    await until("an offer", async () => ((await sent(`${world.baseUrl}/api/v1/runtime`)) as RuntimeOffer).available)
    await measured(world, say)
  } finally {
    await service.stack.runtime?.stop()
    await removeNetwork(resolve(service.folder, "runtime"), socket)
    await service.stop()
    await network.remove()
  }
}

export const runtimeCase = async (say: (line: string) => void): Promise<void> => {
  requireRoot()
  const dataDir = await mkdtemp(join(tmpdir(), "hub-bench-runtime-"))
  const env = { ...process.env, HUB_DOCKER_SOCKET: "", HUB_RUNTIME_IMAGE: "" }
  const progress = (line: string): void => void process.stderr.write(`${line}\n`)
  try {
    await ensurePrograms({ env, progress })
    const { socket } = await engineFor({ dataDir, env, progress, machineSocket: join(dataDir, "none.sock") })
    const { name } = await buildImage({ socket, folder: placesOf(dataDir).image, env, progress, small: true })
    await overEngine(socket, name, say)
  } finally {
    await stopEngine(dataDir, "kill")
    await rm(dataDir, { recursive: true, force: true })
  }
}
