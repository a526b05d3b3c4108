/**
 * The whole product on real servers, with a handle on each node.
 *
 * By default its nodes are scopes in the test's own process (nodes.ts), tenants of the worker's servers (tenants.ts).
 * The host of compartments is always a process: it has locks that belong to a process, and tests kill it. Tests about
 * processes ask for `processes`. Each node is a process then, started by the launcher's own modules on servers that
 * belong to the system. A killed node stays dead until the test restarts it, unless the test asks for `autoRestart`.
 */
import { rm, symlink } from "node:fs/promises"
import { join } from "node:path"
import { jetstreamManager } from "@nats-io/jetstream"
import type { Clock } from "effect"
import { metricsPorts } from "../../ops/launcher/metrics-ports.ts"
import { environmentOf, type NodeKind } from "../../ops/launcher/node-environment.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { startNodeChild } from "../../ops/launcher/node-child.ts"
import { addressing, makeStreams, migrateTables } from "../../ops/launcher/prepared.ts"
import { Stack } from "../../ops/launcher/stack.ts"
import { SupervisedRole } from "../../ops/launcher/supervisor.ts"
import type { StackOptions } from "../../ops/launcher/stack.ts"
import type { MovableClock } from "./clock.ts"
import { archiveOf, withArchiving } from "./archive.ts"
import { cutProxy } from "./cut-proxy.ts"
import type { CutProxy } from "./cut-proxy.ts"
import { closeLogBook, openLogBook } from "./logs.ts"
import type { LogBook } from "./logs.ts"
import type { LocalNode } from "./nodes.ts"
import { nodePrograms } from "./programs.ts"
import { controlOf, endAll, PidLedger, serverControl, serverOptions, startServers, testFolder } from "./servers.ts"
import type { ProcessControl, ServerControl, ServersOptions } from "./servers.ts"
import { connectTo, openTenant, type Tenant } from "./tenants.ts"
import { waitFor } from "./wait.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { streams } from "../../schemas/subjects.ts"

const REFUSALS_KEPT = 5
/** A stopped host leaves its compartments running. */
const RUNTIME_GRACE_MS = 4_000

export interface SystemOptions extends ServersOptions {
  /** The clock of the nodes, which the test may move. Not possible with `processes`. */
  readonly clock?: MovableClock
  /** True if each node is a process: for tests that kill and freeze nodes, or look at what a process has. */
  readonly processes?: boolean
  /** True for a nats-server and a Postgres of its own: for tests that break or configure them. */
  readonly ownServers?: boolean
  /** True if nodes in the test's process serve metrics, for tests that scrape them. */
  readonly metrics?: boolean
  readonly edges?: number
  readonly actors?: number
  /** The domain for which a mail process receives mail. If absent, there is no such process. */
  readonly mail?: string
  /** True to start a keeper. */
  readonly keeper?: boolean
  /** True to start a host of compartments. The environment names its engine and image. */
  readonly runtime?: boolean
  /** Values for any limits, by their dotted paths. They become HUB_LIMITS. */
  readonly limits?: Readonly<Record<string, unknown>>
  readonly env?: NodeJS.ProcessEnv
  /** Variables for one node. The index counts from 0. */
  readonly nodeEnv?: StackOptions["nodeEnv"]
  /** The name by which clients know the service, if it is not its address: such as localhost. */
  readonly hostname?: string
  /** Fills the servers before the streams are brought up to date and the nodes start. Not possible with `processes`. */
  readonly filled?: (servers: Pick<Tenant, "operatorUrl" | "databaseUrl">) => Promise<void>
  /** True to put a proxy that can be cut between each node and NATS. */
  readonly proxies?: boolean
  readonly autoRestart?: boolean
  /**
   * The folder in which the system makes its own; by default that of the run. With `processes` it holds the servers'
   * data.
   */
  readonly within?: string
  /** The nodes' programs, if they are not the product's. */
  readonly entries?: StackOptions["entries"]
}

export interface NodeControl extends ProcessControl {
  /** Ends the node in order, as SIGTERM does. Resolves when it is gone. */
  readonly stop: () => Promise<void>
  /** The proxy between the node and NATS. It exists only with `proxies`. */
  readonly line: CutProxy
  /** The address of the node's metrics. */
  readonly metrics: string
}

interface EdgeControl extends NodeControl {
  readonly url: string
}

interface MailControl extends NodeControl {
  readonly port: number
}

export interface System {
  /** The clock of the nodes. */
  readonly clock: Clock.Clock
  /** The address of the first edge. */
  readonly url: string
  readonly folder: string
  /** The folder in which the nats-server stores the system's streams. */
  readonly store: string
  readonly edges: ReadonlyArray<EdgeControl>
  readonly actors: ReadonlyArray<NodeControl>
  /** The mail process, if there is one. */
  readonly mail: MailControl | undefined
  /** The keeper, if there is one. */
  readonly keeper: NodeControl | undefined
  /** The host of compartments, if there is one. */
  readonly runtime: NodeControl | undefined
  /** The bus's address for an edge or an actor node. */
  readonly busUrlOf: (kind: "edge" | "actor") => string
  readonly nats: ServerControl
  readonly postgres: ServerControl
  readonly logs: LogBook
  /** Restarts every node with these limits, unless they have them already. Rejects if nodes are processes. */
  readonly limit: (limits: Readonly<Record<string, unknown>>) => Promise<void>
  /** Throws if the bus refused anything to a node: each node has only the rights of its role. */
  readonly assertNothingRefused: () => void
  /**
   * Ends everything in order and removes the folder. Rejects if a process is left, or if the bus refused anything to a
   * node.
   */
  readonly stop: () => Promise<void>
}

/** The environment of the tests must not change what the product does, so only a few variables are passed on. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "NODE_COMPILE_CACHE"]
  return Object.fromEntries(kept.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined))
}

async function drawPorts(count: number): Promise<ReadonlyArray<number>> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await drawPort())
  return [...ports]
}

class Lines {
  readonly #proxies = new Map<string, CutProxy>()

  async open(names: ReadonlyArray<string>, target: string): Promise<void> {
    for (const name of names) this.#proxies.set(name, await cutProxy({ target }))
  }

  of(name: string): CutProxy {
    const proxy = this.#proxies.get(name)
    if (proxy === undefined) throw new Error(`${name} has no line of its own: start the system with proxies: true`)
    return proxy
  }

  /** An address of the bus that leads through the node's proxy if it has one. */
  through(name: string, url: string): string {
    const proxy = this.#proxies.get(name)
    return proxy === undefined ? url : url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${proxy.port}`)
  }

  environment(name: string): NodeJS.ProcessEnv {
    const proxy = this.#proxies.get(name)
    return proxy === undefined ? {} : { HUB_NATS_URL: proxy.url }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#proxies.values()].map((proxy) => proxy.close()))
  }
}

function nodeNames(role: string, count: number): ReadonlyArray<string> {
  return Array.from({ length: count }, (_, index) => `${role} ${index}`)
}

/** Parts that systems with and without processes have in common. */
interface Common {
  readonly folder: string
  readonly logs: LogBook
  readonly lines: Lines
  readonly edgePorts: ReadonlyArray<number>
  readonly url: string
  /** The environment of every node, without the addresses of the servers. */
  readonly env: NodeJS.ProcessEnv
  readonly onLine: (role: string, line: string) => void
  readonly assertNothingRefused: () => void
}

async function common(options: SystemOptions): Promise<Common> {
  const [folder, edgePorts] = await Promise.all([testFolder("system", options.within), drawPorts(options.edges ?? 1)])
  const [logs, refusals]: [LogBook, Array<string>] = [openLogBook(), []]
  const url = `http://127.0.0.1:${edgePorts[0]}`
  const env = options.env ?? {}
  const limits = withArchiving(options.limits)
  const named = url.replace("127.0.0.1", options.hostname ?? "127.0.0.1")
  return {
    folder,
    logs,
    lines: new Lines(),
    edgePorts,
    url,
    env: {
      ...plainEnvironment(),
      HUB_ENV: "development",
      HUB_DATA: folder,
      HUB_ARCHIVE: archiveOf({ folder }),
      ...addressing(env, named, edgePorts, options.runtime === true),
      ...(options.mail === undefined ? {} : { HUB_MAIL_PROVIDER: "smtp", HUB_MAIL_DOMAIN: options.mail }),
      ...(limits === undefined ? {} : { HUB_LIMITS: JSON.stringify(limits) }),
      ...env
    },
    onLine: (role, line) => {
      logs.add(role, line)
      if (/permissions violation/i.test(line) && refusals.length < REFUSALS_KEPT) refusals.push(`${role}: ${line}`)
    },
    assertNothingRefused: () => {
      if (refusals.length > 0) throw new Error(`the bus refused a node something: ${refusals.join("; ")}`)
    }
  }
}

export const startSystem = (options: SystemOptions = {}): Promise<System> =>
  options.processes === true ? startProcesses(options) : startLocal(options)

interface ServersOf {
  readonly store: string
  readonly nats: ServerControl
  readonly postgres: ServerControl
  readonly urlFor: Tenant["natsUrl"]
  readonly stop: () => Promise<void>
}

const shared = (url: string): ServerControl => {
  const refuse = (): never => {
    throw new Error("other systems live on this server: start this one with ownServers: true")
  }
  return { url, pid: process.pid, kill: refuse, restart: refuse, freeze: refuse, thaw: refuse }
}

async function sharedServers({ filled }: SystemOptions, env: NodeJS.ProcessEnv): Promise<ServersOf> {
  const tenant = await openTenant()
  await filled?.(tenant)
  await makeStreams(tenant.operatorUrl, env)
  return {
    nats: shared(tenant.operatorUrl),
    postgres: shared(tenant.databaseUrl),
    urlFor: tenant.natsUrl,
    store: tenant.store,
    stop: tenant.release
  }
}

async function ownServers(options: SystemOptions, env: NodeJS.ProcessEnv): Promise<ServersOf> {
  const servers = await startServers({ ...options, namedUsers: true })
  await Promise.all([migrateTables(servers.postgres.url), makeStreams(servers.nats.url, env)])
  return { ...servers, urlFor: servers.natsUrlFor, store: join(servers.folder, "nats", "jetstream") }
}

/** Starts a system whose nodes run in this process. */
async function startLocal(options: SystemOptions): Promise<System> {
  // Loaded only here, because it imports the whole product, and most test files do not need it.
  const { localNode } = await import("./nodes.ts")
  const parts = await common(options)
  const { folder, logs, lines, edgePorts, env, onLine } = parts
  const servers = options.ownServers === true ? await ownServers(options, env) : await sharedServers(options, env)
  // Nodes look at the disk of the log, and the launcher stores the log in this place.
  await symlink(servers.store, join(folder, "nats"))
  const metrics = metricsPorts(options.metrics === true ? "free" : undefined)
  const mailPort = options.mail === undefined ? undefined : await drawPort()
  const actorCount = options.actors ?? 1
  const alones = ["mail 0", "keeper 0", "runtime 0"]
  const names = [...nodeNames("edge", edgePorts.length), ...nodeNames("actor", actorCount), ...alones]
  if (options.proxies === true) await lines.open(names, servers.nats.url)
  const started: Array<LocalNode> = []
  const processes: Array<SupervisedRole> = []

  let limits = env["HUB_LIMITS"]
  const environmentFor = async (kind: NodeKind, index: number, place: number, own: NodeJS.ProcessEnv) => {
    const given = environmentOf(kind, {
      ...env,
      HUB_DATABASE_URL: servers.postgres.url,
      HUB_METRICS_PORT: String(await metrics.portOf(place)),
      ...(limits === undefined ? {} : { HUB_LIMITS: limits }),
      ...own,
      ...options.nodeEnv?.(kind, index)
    })
    return { ...given, HUB_NATS_URL: lines.through(`${kind} ${index}`, servers.urlFor(kind, given["HUB_ROLES"])) }
  }
  const scraped = (control: NodeControl, place: number): NodeControl =>
    Object.defineProperty(control, "metrics", { get: () => metrics.urlOf(place) ?? "" })

  const node = (kind: NodeKind, index: number, place: number, own: NodeJS.ProcessEnv = {}): NodeControl => {
    const environment = () => environmentFor(kind, index, place, own)
    const made = localNode(kind, environment, (line) => onLine(`${kind} ${index + 1}`, line), options.clock)
    started.push(made)
    return scraped(withLine(made, { metrics: "" }, lines, `${kind} ${index}`), place)
  }

  /** A node that is a process in every system. */
  const supervised = (kind: NodeKind, place: number, own: NodeJS.ProcessEnv): NodeControl => {
    const name = `${kind} 1`
    const role = new SupervisedRole({
      name,
      autoRestart: options.autoRestart ?? false,
      stopGraceMs: RUNTIME_GRACE_MS,
      report: (line) => logs.add("supervisor", line),
      launch: async (onSpawn) =>
        startNodeChild({
          name,
          entry: (options.entries ?? (await nodePrograms())).actor,
          cwd: projectRoot,
          env: await environmentFor(kind, 0, place, own),
          onLine: (line) => onLine(name, line),
          onSpawn
        })
    })
    processes.push(role)
    return scraped(withLine(nodeControl(role), { metrics: "" }, lines, `${kind} 0`), place)
  }

  const actors = Array.from({ length: actorCount }, (_, index) => node("actor", index, edgePorts.length + index))
  const alone = edgePorts.length + actorCount
  const mailEnv = { HUB_ROLES: "mail", HUB_MAIL_PORT: String(mailPort) }
  const mail = mailPort === undefined ? undefined : Object.assign(node("mail", 0, alone, mailEnv), { port: mailPort })
  const keeper = options.keeper === true ? node("keeper", 0, alone + 1, { HUB_ROLES: "keeper" }) : undefined
  const runtime = options.runtime === true ? supervised("runtime", alone + 2, { HUB_ROLES: "runtime" }) : undefined
  const edges = edgePorts.map((port, index) =>
    Object.assign(node("edge", index, index, { HUB_PORT: String(port) }), { url: `http://127.0.0.1:${port}` })
  )

  const startNodes = async (): Promise<void> => {
    await Promise.all([...started, ...processes].map((one) => one.start()))
    await Promise.all(edges.map(({ url }) => untilHealthy(url)))
  }
  const stopNodes = async (): Promise<void> => {
    const of = (nodes: ReadonlyArray<unknown>) => started.filter((one) => nodes.includes(one)).map((one) => one.stop())
    await Promise.all(of(edges))
    await Promise.all([...of([mail, keeper]), ...processes.map((role) => role.stop())])
    await Promise.all(of(actors))
  }
  const stop = async (): Promise<void> => {
    await stopNodes()
    await lines.close()
    await servers.stop()
    await rm(folder, { recursive: true, force: true })
    closeLogBook(logs)
    parts.assertNothingRefused()
  }
  try {
    await startNodes()
  } catch (cause) {
    console.error(logs.text())
    await stop()
    throw cause
  }
  return {
    clock: options.clock ?? machineClock,
    url: parts.url,
    folder,
    store: servers.store,
    edges,
    actors,
    mail,
    keeper,
    runtime,
    busUrlOf: (kind) => servers.urlFor(kind, undefined),
    nats: servers.nats,
    postgres: servers.postgres,
    logs,
    limit: async (given) => {
      const wanted = withArchiving(given)
      if (JSON.stringify(wanted) === limits) return
      if (processes.length > 0) throw new Error("a system with a process of its own keeps its limits")
      await stopNodes()
      // An edge that ends loses the share of each rate-limit window that it has taken, a tenth. The windows are reset,
      // so that no test starts with less.
      await forgetWindows(servers.nats.url)
      limits = JSON.stringify(wanted)
      await startNodes()
    },
    assertNothingRefused: parts.assertNothingRefused,
    stop
  }
}

const forgetWindows = async (url: string): Promise<void> => {
  const nats = await connectTo(url, { timeout: 60_000 })
  try {
    await (await jetstreamManager(nats, { checkAPI: false })).streams.purge(streams.limits)
  } finally {
    await nats.close()
  }
}

const untilHealthy = (url: string): Promise<unknown> =>
  waitFor(async () => (await fetch(`${url}/api/v1/health`)).status === 200, { describe: `${url} healthy` })

async function startProcesses(options: SystemOptions): Promise<System> {
  if (options.clock !== undefined) throw new Error("processes have the machine's clock: no test moves that")
  const { folder, logs, lines, edgePorts, url, env, onLine, assertNothingRefused } = await common(options)
  const actorCount = options.actors ?? 1
  const ledger = new PidLedger()
  const stack = new Stack({
    ...(await serverOptions(folder, options)),
    root: projectRoot,
    env,
    edgePorts,
    actors: actorCount,
    ...(options.mail === undefined ? {} : { mailPort: await drawPort() }),
    keeper: options.keeper === true,
    runtime: options.runtime === true,
    metrics: "free",
    entries: options.entries ?? (await nodePrograms()),
    autoRestart: options.autoRestart ?? false,
    report: (line) => logs.add("supervisor", line),
    onLine,
    changed: (it) => ledger.note(it),
    serversUp: async (it) => {
      const names = [
        ...nodeNames("edge", edgePorts.length),
        ...nodeNames("actor", actorCount),
        "mail 0",
        "keeper 0",
        "runtime 0"
      ]
      if (options.proxies === true) await lines.open(names, it.nats.url)
    },
    nodeEnv: (role, index) => ({ ...lines.environment(`${role} ${index}`), ...options.nodeEnv?.(role, index) })
  })
  logs.follow("nats", join(folder, "nats", "nats-server.log"))
  logs.follow("postgres", join(folder, "postgres", "server.log"))

  const stop = async () => {
    await endAll(stack, ledger, folder, logs).finally(() => lines.close())
    assertNothingRefused()
  }
  await stack.start().catch(async (cause: unknown) => {
    console.error(logs.text())
    await stop()
    throw cause
  })
  return {
    clock: machineClock,
    url,
    folder,
    store: join(folder, "nats", "jetstream"),
    edges: stack.edges.map((edge, index) =>
      withLine(
        nodeControl(edge.role),
        { url: edge.url, metrics: stack.metricsOf("edge", index) ?? "" },
        lines,
        `edge ${index}`
      )
    ),
    actors: stack.actors.map((actor, index) =>
      withLine(nodeControl(actor), { metrics: stack.metricsOf("actor", index) ?? "" }, lines, `actor ${index}`)
    ),
    mail:
      stack.mail === undefined
        ? undefined
        : withLine(
            nodeControl(stack.mail.role),
            { port: stack.mail.port ?? 0, metrics: stack.metricsOf("mail", 0) ?? "" },
            lines,
            "mail 0"
          ),
    keeper:
      stack.keeper === undefined
        ? undefined
        : withLine(nodeControl(stack.keeper), { metrics: stack.metricsOf("keeper", 0) ?? "" }, lines, "keeper 0"),
    runtime:
      stack.runtime === undefined
        ? undefined
        : withLine(nodeControl(stack.runtime), { metrics: stack.metricsOf("runtime", 0) ?? "" }, lines, "runtime 0"),
    busUrlOf: (kind) => stack.natsUrlFor(kind, undefined),
    nats: serverControl(stack.nats),
    postgres: serverControl(stack.postgres),
    logs,
    limit: async (wanted) => {
      if (JSON.stringify(withArchiving(wanted)) !== env["HUB_LIMITS"])
        throw new Error("a system of processes keeps its limits")
    },
    assertNothingRefused,
    stop
  }
}

const nodeControl = (role: SupervisedRole): ProcessControl & Pick<NodeControl, "stop"> => {
  const stop = async (): Promise<void> => {
    if (role.pid !== null) process.kill(role.pid, "SIGTERM")
    await waitFor(() => role.pid === null, { describe: `the end of ${role.name}` })
  }
  return Object.assign(controlOf(role), { stop })
}

/** Adds to the control in place: in a copy its pid would not be updated. */
function withLine<A extends object>(
  control: ProcessControl & Pick<NodeControl, "stop">,
  more: A,
  lines: Lines,
  name: string
): NodeControl & A {
  const extended = Object.assign(control, more)
  return Object.defineProperty(extended, "line", { get: () => lines.of(name) }) as NodeControl & A
}
