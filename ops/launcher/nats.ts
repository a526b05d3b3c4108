/**
 * One nats-server with JetStream, bound to loopback.
 *
 * - The server is ready when its INFO line says that JetStream is on: streams are recovered by then.
 * - The server has the users of production with their rights (bus-users.ts), unless `users` names other ones.
 * - The port is stored beside the store, so clients that reconnect after a crash find the server again.
 * - The server of a killed launcher is found by its pid file and ended before the store is opened again. Two servers on
 *   one store would corrupt it.
 */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { availableParallelism } from "node:os"
import { join, relative, resolve } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { drawPasswords, operatorAddress, passwordVariables, rolesFile } from "./bus-users.ts"
import type { BusPasswords } from "./bus-users.ts"
import { LaunchFault } from "./fault.ts"
import { rememberedPort, portIsFree } from "./ports.ts"
import { commandOf, endProcess } from "./proc.ts"
import { describeExit, spawnTied } from "./tied.ts"
import type { TiedProcess } from "./tied.ts"
import { patience } from "./patience.ts"

/** Recovering a large store is part of starting. */
const READY_DEADLINE_MS = 120_000
const PROBE_TIMEOUT_MS = 1_000
const PROBE_PAUSE_MS = 15
const LEFTOVER_GRACE_MS = 5_000
const ERROR_TAIL_CHARS = 2_000

export interface NatsOptions {
  readonly binary: string
  /** Holds the store, the configuration, the log and the remembered port. */
  readonly dataDir: string
  /** If 0 or absent, the remembered port or a free one is used. */
  readonly port?: number
  /** The most bytes that streams may use on the disk. If absent, the server decides. */
  readonly storeMaxBytes?: number
  /** A file with the bus's users, used in place of production's. */
  readonly users?: string
  /** Lines added to the configuration file. */
  readonly configExtra?: string
  readonly serverName?: string
  /** The passwords of the bus's users. If absent, new ones are drawn. */
  readonly passwords?: BusPasswords
  /** Called as soon as the process runs, before it is ready. */
  readonly onSpawn?: (process: TiedProcess) => void
}

export interface RunningServer extends TiedProcess {
  readonly url: string
  /** The address with the operator's name and password. Postgres has one user, so its `url` is the same. */
  readonly operatorUrl: string
  readonly port: number
  readonly logFile: string
}

function configText(options: NatsOptions, port: number, dataDir: string): string {
  const most = options.storeMaxBytes === undefined ? "" : `, max_file_store: ${options.storeMaxBytes}`
  return [
    `host: "127.0.0.1"`,
    `port: ${port}`,
    `server_name: ${JSON.stringify(options.serverName ?? "hub-embedded")}`,
    "max_payload: 1MB",
    "debug: false",
    "trace: false",
    `log_file: ${JSON.stringify(join(dataDir, "nats-server.log"))}`,
    "logfile_size_limit: 10MB",
    "logfile_max_num: 3",
    `pid_file: ${JSON.stringify(join(dataDir, "nats-server.pid"))}`,
    // Without this setting the server flushes streams every two minutes. A loss of power would lose all that was
    // acknowledged since.
    `jetstream { store_dir: ${JSON.stringify(dataDir)}, max_memory_store: 1GB, sync_interval: always${most} }`,
    // The server reads this as a path relative to the configuration file, even an absolute one.
    `include ${JSON.stringify(relative(dataDir, options.users ?? rolesFile))}`,
    options.configExtra ?? "",
    ""
  ].join("\n")
}

/** The first line that a server sends after a connection; `undefined` if it does not answer. */
function readInfo(port: number): Promise<string | undefined> {
  return new Promise((done) => {
    const socket = connect({ port, host: "127.0.0.1" })
    let text = ""
    const finish = (line?: string) => {
      socket.destroy()
      done(line)
    }
    socket.setTimeout(PROBE_TIMEOUT_MS, () => finish())
    socket.on("error", () => finish())
    socket.on("close", () => finish())
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8")
      if (text.includes("\r\n")) finish(text)
    })
  })
}

async function untilReady(server: TiedProcess, port: number, complaint: () => Promise<string>): Promise<void> {
  const isOver = patience(READY_DEADLINE_MS)
  while (!isOver()) {
    const info = server.hasExited() ? undefined : await readInfo(port)
    // Another program may listen on the port, in which case this server ends.
    if (server.hasExited()) throw new LaunchFault(`nats-server ended at start: ${await complaint()}`)
    if (info !== undefined && /"jetstream":\s*true/.test(info)) return
    await delay(PROBE_PAUSE_MS)
  }
  await server.kill()
  throw new LaunchFault(`nats-server was not ready after ${READY_DEADLINE_MS / 1000} s: ${await complaint()}`)
}

async function endLeftover(dataDir: string): Promise<void> {
  const pid = Number(await readFile(join(dataDir, "nats-server.pid"), "utf8").catch(() => "0"))
  if (pid > 1 && commandOf(pid).includes(join(dataDir, "nats-server.conf"))) {
    await endProcess(pid, "SIGTERM", LEFTOVER_GRACE_MS)
  }
}

/** The last two errors that the server has logged since this start. */
async function lastLogLines(file: string, from: number): Promise<string> {
  const text = await readFile(file).catch(() => Buffer.alloc(0))
  const lines = text.subarray(from).toString("utf8").slice(-ERROR_TAIL_CHARS).split("\n")
  return lines
    .filter((line) => /\[(FTL|ERR)\]/.test(line))
    .slice(-2)
    .join(" ")
}

/**
 * The server shares the machine with the nodes, so it uses half of the cores. With all of them, every small message
 * wakes a thread on another core that finds nothing to do.
 */
const shareOfCores = (): number => Math.max(1, Math.floor(availableParallelism() / 2))

export async function startNats(options: NatsOptions): Promise<RunningServer> {
  const dataDir = resolve(options.dataDir)
  const logFile = join(dataDir, "nats-server.log")
  const configFile = join(dataDir, "nats-server.conf")
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await endLeftover(dataDir)
  const port = options.port || (await rememberedPort(join(dataDir, "port")))
  if (!(await portIsFree(port))) {
    throw new LaunchFault(`port ${port}, wanted for nats-server, is taken; stop the program that uses it`)
  }
  await writeFile(configFile, configText(options, port, dataDir), { mode: 0o600 })

  const passwords = options.passwords ?? drawPasswords()
  const logSize = await stat(logFile).then(
    (it) => it.size,
    () => 0
  )
  const server = await spawnTied({
    command: [options.binary, "-c", configFile],
    env: { GOMAXPROCS: String(shareOfCores()), ...process.env, ...passwordVariables(passwords) },
    stopSignal: "SIGTERM"
  })
  options.onSpawn?.(server)
  let stderr = ""
  server.process.stdout?.resume()
  server.process.stderr?.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString("utf8")).slice(-ERROR_TAIL_CHARS)
  })
  await untilReady(server, port, async () => {
    const seen = `${stderr.trim()} ${await lastLogLines(logFile, logSize)}`.trim()
    return seen === "" ? describeExit(await server.exited) : seen
  })
  const url = `nats://127.0.0.1:${port}`
  return { ...server, url, operatorUrl: operatorAddress(url, passwords), port, logFile }
}
