/**
 * The services that are measured: the product itself and the baselines. Each has a port, and processes whose CPU time
 * counts.
 */
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
  /** The value of the host header that requests are signed for. */
  readonly host: string
  /** Roots of the process trees whose CPU time counts, by kind of process. */
  readonly processes: () => Readonly<Record<string, ReadonlyArray<number>>>
}

/** Limits that are never reached, because refusals are not measured. */
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
  readonly folder: string
  readonly stop: () => Promise<void>
}

export interface ServiceOptions {
  /** Variables for the environment of every node. */
  readonly env?: NodeJS.ProcessEnv
  /** Limits in addition to those that are never reached. */
  readonly limits?: Readonly<Record<string, number>>
  /** True if nodes serve metrics. */
  readonly metrics?: boolean
  /** True if a mail process receives mail. */
  readonly mail?: boolean
  /** True if a keeper gives vaults their keys. */
  readonly keeper?: boolean
  /** True if this machine is a host of compartments. The environment names its engine and image. */
  readonly runtime?: boolean
  /** Writes a log before the nodes start. The streams exist already. */
  readonly filled?: (natsUrl: string) => Promise<void>
  /** The port of an operators' console that gives one-time links. */
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
      // Passed on for `NODE_OPTIONS=--cpu-prof npm run bench`, which makes every process write a profile.
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
