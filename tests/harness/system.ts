/**
 * The whole product as real processes, started by the launcher's own modules, with a handle on each of them. What a
 * test kills stays dead until the test restarts it, unless it asks for the supervisor's own restarts.
 */
import { join } from "node:path"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { addressing } from "../../ops/launcher/prepared.ts"
import { Stack } from "../../ops/launcher/stack.ts"
import type { StackOptions } from "../../ops/launcher/stack.ts"
import { cutProxy } from "./cut-proxy.ts"
import type { CutProxy } from "./cut-proxy.ts"
import { openLogBook } from "./logs.ts"
import type { LogBook } from "./logs.ts"
import { nodePrograms } from "./programs.ts"
import { controlOf, endAll, PidLedger, serverControl, serverOptions, testFolder } from "./servers.ts"
import type { ProcessControl, ServerControl, ServersOptions } from "./servers.ts"

const REFUSALS_KEPT = 5

export interface SystemOptions extends ServersOptions {
  readonly edges?: number
  readonly actors?: number
  /** With a process that receives mail for this domain. */
  readonly mail?: string
  /** With a process that keeps the keys of vaults. */
  readonly keeper?: boolean
  /** With a host of compartments; its engine and image are named by the environment. */
  readonly runtime?: boolean
  /** Over any limit, by its dotted path: becomes HUB_LIMITS. */
  readonly limits?: Readonly<Record<string, unknown>>
  readonly env?: NodeJS.ProcessEnv
  /** Additions for one node alone; the index counts from 0. */
  readonly nodeEnv?: StackOptions["nodeEnv"]
  /** The name by which the service is known, where it is not its address: such as localhost. */
  readonly hostname?: string
  /** Put a proxy that can be cut between each node and NATS. */
  readonly proxies?: boolean
  readonly autoRestart?: boolean
  /** The nodes' programs, where they are not the product's. */
  readonly entries?: StackOptions["entries"]
}

export interface NodeControl extends ProcessControl {
  /** The node's own line to NATS; only with `proxies`. */
  readonly line: CutProxy
  /** Where it is scraped. */
  readonly metrics: string
}

export interface EdgeControl extends NodeControl {
  readonly url: string
}

export interface MailControl extends NodeControl {
  readonly port: number
}

export interface System {
  /** The first edge. */
  readonly url: string
  readonly folder: string
  readonly edges: ReadonlyArray<EdgeControl>
  readonly actors: ReadonlyArray<NodeControl>
  /** The process that receives mail, where there is one. */
  readonly mail: MailControl | undefined
  /** The process that keeps the keys of vaults, where there is one. */
  readonly keeper: NodeControl | undefined
  /** The host of compartments, where there is one. */
  readonly runtime: NodeControl | undefined
  readonly nats: ServerControl
  readonly postgres: ServerControl
  readonly logs: LogBook
  /** Throws if the bus refused a node anything: every node is the user of its role. */
  readonly assertNothingRefused: () => void
  /** Ends all in order and removes the folder; rejects if a process is left or the bus refused a node something. */
  readonly stop: () => Promise<void>
}

/** Nothing of the environment that the tests themselves run in may change what the product does. */
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

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const edgeCount = options.edges ?? 1
  const actorCount = options.actors ?? 1
  const folder = await testFolder("system")
  const logs = openLogBook()
  const ledger = new PidLedger()
  const lines = new Lines()
  const refusals: Array<string> = []
  const edgePorts = await drawPorts(edgeCount)
  const url = `http://127.0.0.1:${edgePorts[0]}`
  const env = options.env ?? {}
  const stack = new Stack({
    ...(await serverOptions(folder, options)),
    root: projectRoot,
    env: {
      ...plainEnvironment(),
      HUB_ENV: "development",
      HUB_DATA: folder,
      ...addressing(
        env,
        url.replace("127.0.0.1", options.hostname ?? "127.0.0.1"),
        edgePorts,
        options.runtime === true
      ),
      ...(options.mail === undefined ? {} : { HUB_MAIL_PROVIDER: "smtp", HUB_MAIL_DOMAIN: options.mail }),
      ...(options.limits === undefined ? {} : { HUB_LIMITS: JSON.stringify(options.limits) }),
      ...env
    },
    edgePorts,
    actors: actorCount,
    ...(options.mail === undefined ? {} : { mailPort: await drawPort() }),
    keeper: options.keeper === true,
    runtime: options.runtime === true,
    metrics: "free",
    entries: options.entries ?? (await nodePrograms()),
    autoRestart: options.autoRestart ?? false,
    report: (line) => logs.add("supervisor", line),
    onLine: (role, line) => {
      logs.add(role, line)
      if (/permissions violation/i.test(line) && refusals.length < REFUSALS_KEPT) refusals.push(`${role}: ${line}`)
    },
    changed: (it) => ledger.note(it),
    serversUp: async (it) => {
      const names = [
        ...nodeNames("edge", edgeCount),
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

  const assertNothingRefused = () => {
    if (refusals.length > 0) throw new Error(`the bus refused a node something: ${refusals.join("; ")}`)
  }
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
    url,
    folder,
    edges: stack.edges.map((edge, index) =>
      withLine(
        controlOf(edge.role),
        { url: edge.url, metrics: stack.metricsOf("edge", index) ?? "" },
        lines,
        `edge ${index}`
      )
    ),
    actors: stack.actors.map((actor, index) =>
      withLine(controlOf(actor), { metrics: stack.metricsOf("actor", index) ?? "" }, lines, `actor ${index}`)
    ),
    mail:
      stack.mail === undefined
        ? undefined
        : withLine(
            controlOf(stack.mail.role),
            { port: stack.mail.port ?? 0, metrics: stack.metricsOf("mail", 0) ?? "" },
            lines,
            "mail 0"
          ),
    keeper:
      stack.keeper === undefined
        ? undefined
        : withLine(controlOf(stack.keeper), { metrics: stack.metricsOf("keeper", 0) ?? "" }, lines, "keeper 0"),
    runtime:
      stack.runtime === undefined
        ? undefined
        : withLine(controlOf(stack.runtime), { metrics: stack.metricsOf("runtime", 0) ?? "" }, lines, "runtime 0"),
    nats: serverControl(stack.nats),
    postgres: serverControl(stack.postgres),
    logs,
    assertNothingRefused,
    stop
  }
}

/** Adds to the control in place: copied, its pid would no longer be live. */
function withLine<A extends object>(control: ProcessControl, more: A, lines: Lines, name: string): NodeControl & A {
  const extended = Object.assign(control, more)
  return Object.defineProperty(extended, "line", { get: () => lines.of(name) }) as NodeControl & A
}
