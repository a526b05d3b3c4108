/** What is measured: the service itself and two baselines, each as processes with a port and pids to account for. */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PRODUCT_ENTRIES } from "../launcher/entries.ts"
import { findNatsServer } from "../launcher/nats-binary.ts"
import { dataFolder, projectRoot } from "../launcher/paths.ts"
import { drawPort } from "../launcher/ports.ts"
import { addressing, makeStreams } from "../launcher/prepared.ts"
import { Stack } from "../launcher/stack.ts"

export const BYPASS = "bench-registration"

export interface Measured {
  readonly name: string
  readonly ports: ReadonlyArray<number>
  /** The host line that requests are signed for. */
  readonly host: string
  /** Roots of the process trees whose CPU counts, by what they are. */
  readonly processes: () => Readonly<Record<string, ReadonlyArray<number>>>
}

/** No limit may end the measurement: what is measured is work, not refusals. */
const UNLIMITED = Object.fromEntries(
  [
    "ip",
    "key",
    "anon",
    "web",
    "agent",
    "write",
    "vote",
    "message",
    "register",
    "captcha_key",
    "id_verify",
    "id_directory"
  ].map((bucket) => [`rate_limits.${bucket}.requests`, 1_000_000_000])
)

const limitsWith = (more: Readonly<Record<string, number>>): string =>
  JSON.stringify({
    ...UNLIMITED,
    "registration.pow_difficulty.base": 1,
    "registration.pow_difficulty.max": 1,
    "service.max_queries": 100_000,
    "service.max_client_queries": 100_000,
    ...more
  })

export interface BenchStack {
  readonly stack: Stack
  readonly measured: Measured
  readonly baseUrl: string
  /** Its data. */
  readonly folder: string
  readonly stop: () => Promise<void>
}

export interface ServiceOptions {
  /** For the environment of every node. */
  readonly env?: NodeJS.ProcessEnv
  /** Beside those that are never reached. */
  readonly limits?: Readonly<Record<string, number>>
  /** Nodes that can be scraped. */
  readonly metrics?: boolean
  /** Whether mail is received, by a process of its own. */
  readonly mail?: boolean
  /** Whether vaults get their keys, by a process of its own. */
  readonly keeper?: boolean
  /** Whether this machine is a host of compartments: the environment names its engine and image. */
  readonly runtime?: boolean
  /** Writes a log before the nodes start: its streams are there. */
  readonly filled?: (natsUrl: string) => Promise<void>
  /** The port of an operators' console that gives links. */
  readonly consolePort?: number
}

export const startService = async (
  edges: number,
  actors: number,
  {
    env = {},
    limits = {},
    metrics = false,
    mail = false,
    keeper = false,
    runtime = false,
    filled,
    consolePort
  }: ServiceOptions = {}
): Promise<BenchStack> => {
  const folder = await mkdtemp(join(tmpdir(), "hub-bench-"))
  const edgePorts = await Promise.all(Array.from({ length: edges }, () => drawPort()))
  const baseUrl = `http://127.0.0.1:${edgePorts[0]}`
  const dataDir = folder
  const serversUp = async ({ nats }: Stack): Promise<void> => {
    if (filled === undefined) return
    await makeStreams(nats.operatorUrl, { HUB_ENV: "development" })
    await filled(nats.operatorUrl)
  }
  const stack = new Stack({
    root: projectRoot,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      // For `NODE_OPTIONS=--cpu-prof npm run bench`: every process then leaves its profile.
      ...(process.env["NODE_OPTIONS"] === undefined ? {} : { NODE_OPTIONS: process.env["NODE_OPTIONS"] }),
      HUB_ENV: "development",
      HUB_DATA: dataDir,
      HUB_CAPTCHA_BYPASS: BYPASS,
      HUB_LIMITS: limitsWith(limits),
      ...addressing({}, baseUrl, edgePorts, runtime),
      ...env
    },
    nats: {
      binary: await findNatsServer({
        env: process.env,
        dataDir: dataFolder(process.env),
        progress: (line) => process.stderr.write(`${line}\n`),
        signal: new AbortController().signal
      }),
      dataDir: join(dataDir, "nats")
    },
    postgres: { dataDir: join(dataDir, "postgres"), progress: () => undefined },
    edgePorts,
    actors,
    ...(mail ? { mailPort: await drawPort() } : {}),
    keeper,
    runtime,
    ...(consolePort === undefined ? {} : { consolePort }),
    ...(metrics ? { metrics: "free" as const } : {}),
    entries: PRODUCT_ENTRIES,
    autoRestart: false,
    serversUp,
    report: (line) => process.stderr.write(`${line}\n`),
    onLine: (role, line) => {
      // The request log is written, as in production, but not shown.
      if (!/^\{"time":"[^"]*","id":/.test(line)) process.stderr.write(`[${role}] ${line}\n`)
    }
  })
  await stack.start()
  const known = (pids: ReadonlyArray<number | null | undefined>): ReadonlyArray<number> =>
    pids.filter((pid) => typeof pid === "number")
  const processes = () => ({
    edges: known(stack.edges.map((edge) => edge.role.pid)),
    actors: known(stack.actors.map((actor) => actor.pid)),
    ...(stack.mail === undefined ? {} : { mail: known([stack.mail.role.pid]) }),
    nats: known([stack.nats.role?.pid]),
    postgres: known([stack.postgres.role?.pid])
  })
  return {
    stack,
    measured: { name: "hub", ports: edgePorts, host: new URL(baseUrl).host, processes },
    baseUrl,
    folder,
    stop: async () => {
      await stack.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }
}

export interface Baseline {
  readonly measured: Measured
  readonly stop: () => Promise<void>
}

export const startBaseline = async (
  name: "floor" | "monolith" | "lists" | "forum" | "mail-loop",
  env: NodeJS.ProcessEnv,
  alsoCounts: Readonly<Record<string, ReadonlyArray<number>>>
): Promise<Baseline> => {
  const port = await drawPort()
  const child: ChildProcess = spawn(process.execPath, ["--no-warnings", join(import.meta.dirname, `${name}.ts`)], {
    env: { ...process.env, ...env, BENCH_PORT: String(port) },
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  await once(child, "message")
  return {
    measured: {
      name,
      ports: [port],
      host: `127.0.0.1:${port}`,
      processes: () => ({ [name]: [child.pid ?? 0], ...alsoCounts })
    },
    stop: async () => {
      child.kill("SIGTERM")
      await once(child, "exit")
    }
  }
}
