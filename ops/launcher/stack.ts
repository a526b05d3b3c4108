/**
 * The whole product as processes of this machine: nats-server, Postgres, actor nodes and edges. If they are wanted,
 * also processes for mail, the keeper, compartments and the console.
 *
 * Both servers start side by side. The nodes follow when both answer, also side by side: an edge needs no actor to
 * begin listening. The stack is up when every edge says 200 on the health endpoint. It ends in the order in which work
 * flows: edges first, so that no new request comes in; then actors, which hand over and flush; the servers last.
 * Processes of other roles end between edges and actors.
 */
import { setTimeout as delay } from "node:timers/promises"
import { LaunchFault, messageOf } from "./fault.ts"
import { addressFor, drawPasswords, operatorAddress } from "./bus-users.ts"
import type { CombinedNode } from "./combined.ts"
import { environmentOf, type NodeKind } from "./node-environment.ts"
import { startNats } from "./nats.ts"
import type { NatsOptions, RunningServer } from "./nats.ts"
import { type NodeChildOptions, startNodeChild } from "./node-child.ts"
import { metricsPorts, type MetricsPorts } from "./metrics-ports.ts"
import { makeStreams, migrateTables } from "./prepared.ts"
import { startPostgres } from "./postgres.ts"
import type { PostgresOptions } from "./postgres.ts"
import { SupervisedRole } from "./supervisor.ts"
import type { TiedProcess } from "./tied.ts"
import { patience } from "./patience.ts"

/** The sum is less than ten seconds. Processes of other roles may take up to `ACTOR_GRACE_MS` in addition. */
const EDGE_GRACE_MS = 3_000
const ACTOR_GRACE_MS = 4_000
const SERVER_GRACE_MS = 2_000

const HEALTH_DEADLINE_MS = 120_000
const HEALTH_TIMEOUT_MS = 2_000
const HEALTH_PAUSE_MS = 25
const HEALTH_PATH = "/api/v1/health"

export interface StackOptions {
  readonly root: string
  /** Environment of every node; the addresses of the servers are added. */
  readonly env: NodeJS.ProcessEnv
  /** A server to start, or the address of a server that runs already. */
  readonly nats: NatsOptions | string
  readonly postgres: PostgresOptions | string
  readonly edgePorts: ReadonlyArray<number>
  readonly actors: number
  /** Port of the process that receives mail, or `null` if it does not listen. If absent, there is no such process. */
  readonly mailPort?: number | null
  /** True to start the keeper: the process that holds the keys of vaults. */
  readonly keeper?: boolean
  /** Port of the operators' console. If absent, there is no console. */
  readonly consolePort?: number
  /**
   * The program that runs edges, actors, the keeper and the console in one process. If absent, each has its own
   * process.
   */
  readonly combined?: ReadonlyArray<string>
  readonly runtime?: boolean
  /** Ports for metrics: free ones, or consecutive ones from this number on, edges first. If absent, there are none. */
  readonly metrics?: "free" | number
  readonly entries: Readonly<Record<"edge" | "actor", ReadonlyArray<string>>> & {
    readonly console?: ReadonlyArray<string>
  }
  readonly autoRestart: boolean
  readonly report: (line: string) => void
  readonly onLine: (role: string, line: string) => void
  /** Called whenever a process has started or ended. */
  readonly changed?: (stack: Stack) => void
  /** Called after the servers answer, before the nodes start. */
  readonly serversUp?: (stack: Stack) => Promise<void>
  /** Variables that are added to one node's environment. */
  readonly nodeEnv?: (role: NodeKind, index: number) => NodeJS.ProcessEnv
}

interface NodePlace {
  readonly kind: NodeKind
  readonly index: number
}

export interface ServerRole {
  readonly role: SupervisedRole | undefined
  readonly url: string
  /** The operator's address. It holds a password if this stack started the server. */
  readonly operatorUrl: string
}

export interface EdgeRole {
  readonly role: SupervisedRole
  readonly url: string
}

const mailEnvironment = (port: number | null): NodeJS.ProcessEnv => ({
  HUB_ROLES: "mail",
  ...(port === null ? {} : { HUB_MAIL_PORT: String(port) })
})

type StartServer = (options: { port: number; onSpawn: (process: TiedProcess) => void }) => Promise<RunningServer>

export class Stack {
  readonly #options: StackOptions
  readonly #passwords = drawPasswords()
  readonly #metrics: MetricsPorts
  readonly edges: ReadonlyArray<EdgeRole>
  readonly actors: ReadonlyArray<SupervisedRole>
  readonly mail: { readonly role: SupervisedRole; readonly port: number | null } | undefined
  readonly keeper: SupervisedRole | undefined
  readonly runtime: SupervisedRole | undefined
  readonly console: { readonly role: SupervisedRole; readonly url: string } | undefined
  #nats: ServerRole = { role: undefined, url: "", operatorUrl: "" }
  #postgres: ServerRole = { role: undefined, url: "", operatorUrl: "" }
  #migration: Promise<void> = Promise.resolve()
  #stopped: Promise<void> | undefined

  constructor(options: StackOptions) {
    this.#options = options
    this.#metrics = metricsPorts(options.metrics)
    const { edgePorts, actors, mailPort, keeper, runtime, consolePort, combined } = options
    // Roles that take their work from others come first in the list, so that they end last.
    const kept: ReadonlyArray<NodePlace> = keeper === true ? [{ kind: "keeper", index: 0 }] : []
    const acting = Array.from({ length: actors }, (_, index): NodePlace => ({ kind: "actor", index }))
    const listening = edgePorts.map((_, index): NodePlace => ({ kind: "edge", index }))
    const seeing: ReadonlyArray<NodePlace> = consolePort === undefined ? [] : [{ kind: "console", index: 0 }]
    const together = [...acting, ...kept, ...seeing, ...listening]
    const one = combined === undefined ? undefined : this.#combined(combined, together)
    const roleOf = (place: NodePlace): SupervisedRole => one ?? this.#node(place)
    this.edges = listening.map((place) => ({ role: roleOf(place), url: `http://127.0.0.1:${edgePorts[place.index]}` }))
    this.actors = acting.map(roleOf)
    this.keeper = kept.map(roleOf)[0]
    this.mail = mailPort === undefined ? undefined : { role: this.#node({ kind: "mail", index: 0 }), port: mailPort }
    this.console = seeing.map((place) => ({ role: roleOf(place), url: `http://127.0.0.1:${consolePort}` }))[0]
    this.runtime = runtime === true ? this.#node({ kind: "runtime", index: 0 }) : undefined
  }

  /** The address of a node's metrics; `null` if it has none. */
  metricsOf(kind: NodeKind, index: number): string | null {
    return this.#metrics.urlOf(this.#metricsPlaceOf({ kind, index }))
  }

  #metricsPlaceOf({ kind, index }: NodePlace): number {
    const { edgePorts, actors } = this.#options
    const alone = edgePorts.length + actors
    return (
      index +
      { edge: 0, actor: edgePorts.length, mail: alone, keeper: alone + 1, runtime: alone + 2, console: alone + 3 }[kind]
    )
  }

  get nats(): ServerRole {
    return this.#nats
  }

  get archive(): string | undefined {
    return this.#options.env["HUB_ARCHIVE"]
  }

  get postgres(): ServerRole {
    return this.#postgres
  }

  /** Resolves when the product serves. If a part does not start, the started ones end again. */
  async start(): Promise<void> {
    try {
      await this.#startServers()
      // Both addresses are known now, even if no nodes follow.
      this.#changed()
      await this.#options.serversUp?.(this)
      const nodes = new Set([...this.actors, ...this.#alone(), ...this.edges.map((edge) => edge.role)])
      // The nodes wait for their tables themselves, so the migration and the nodes' start run at the same time.
      this.#migration = this.#migrate(nodes.size > 0)
      await Promise.all([this.#migration, ...[...nodes].map((role) => role.start())])
      await Promise.all(this.edges.map((edge) => this.#untilHealthy(edge)))
    } catch (cause) {
      await this.stop()
      throw cause
    }
  }

  /** Makes the tables and streams. A stack of servers alone is used for a restore, which brings its own streams. */
  async #migrate(withStreams: boolean): Promise<void> {
    await Promise.all([
      migrateTables(this.#postgres.url),
      ...(withStreams ? [makeStreams(this.#nats.operatorUrl, this.#options.env)] : [])
    ])
  }

  async #startServers(): Promise<void> {
    if (this.#stopped !== undefined) throw new Error("the stack is stopped")
    const { nats, postgres } = this.#options
    await Promise.all([
      typeof nats === "string"
        ? this.#setNats({ role: undefined, url: nats, operatorUrl: nats })
        : this.#server(
            "nats",
            nats.port,
            (more) => startNats({ ...nats, ...more, passwords: this.#passwords }),
            (it) => this.#setNats(it)
          ),
      typeof postgres === "string"
        ? this.#setPostgres({ role: undefined, url: postgres, operatorUrl: postgres })
        : this.#server(
            "postgres",
            postgres.port,
            (more) => startPostgres({ ...postgres, ...more }),
            (it) => this.#setPostgres(it)
          )
    ])
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stopInOrder()
    return this.#stopped
  }

  async #stopInOrder(): Promise<void> {
    // The database stays up for a running migration, but no longer than the nodes may take to end.
    const migrated = Promise.race([
      this.#migration.catch(() => undefined),
      delay(ACTOR_GRACE_MS, undefined, { ref: false })
    ])
    await Promise.all(this.edges.map((edge) => edge.role.stop()))
    await Promise.all(this.#alone().map((role) => role.stop()))
    await Promise.all(this.actors.map((actor) => actor.stop()))
    await migrated
    await Promise.all([this.#nats.role?.stop(), this.#postgres.role?.stop()])
  }

  /** The roles other than edges and actors. */
  #alone(): ReadonlyArray<SupervisedRole> {
    return [this.mail?.role, this.keeper, this.runtime, this.console?.role].filter((role) => role !== undefined)
  }

  #setNats(server: ServerRole): void {
    this.#nats = server
  }

  #setPostgres(server: ServerRole): void {
    this.#postgres = server
  }

  #changed(): void {
    this.#options.changed?.(this)
  }

  /** Starts a server. It keeps its first port at each restart, because the nodes have its address already. */
  async #server(
    name: string,
    wantedPort: number | undefined,
    start: StartServer,
    set: (server: ServerRole) => void
  ): Promise<void> {
    let port = wantedPort ?? 0
    const role = new SupervisedRole({
      name,
      autoRestart: this.#options.autoRestart,
      stopGraceMs: SERVER_GRACE_MS,
      report: this.#options.report,
      changed: () => this.#changed(),
      launch: async (onSpawn) => {
        const server = await start({ port, onSpawn })
        port = server.port
        set({ role, url: server.url, operatorUrl: server.operatorUrl })
        return server
      }
    })
    // The role is registered before it is ready, so that a stop can end it while it starts.
    set({ role, url: "", operatorUrl: "" })
    await role.start()
  }

  #node(place: NodePlace): SupervisedRole {
    const { kind, index } = place
    return this.#process(`${kind} ${index + 1}`, kind === "edge" ? EDGE_GRACE_MS : ACTOR_GRACE_MS, async () => ({
      entry: this.#entryOf(kind),
      env: await this.#environmentOf(place)
    }))
  }

  #entryOf(kind: NodeKind): ReadonlyArray<string> {
    const { edge, actor, console } = this.#options.entries
    if (kind === "console") return console ?? []
    return kind === "edge" ? edge : actor
  }

  #combined(entry: ReadonlyArray<string>, places: ReadonlyArray<NodePlace>): SupervisedRole {
    const { env } = this.#options
    return this.#process("hub", EDGE_GRACE_MS + ACTOR_GRACE_MS, async () => {
      const own = async (place: NodePlace): Promise<CombinedNode> => ({
        kind: place.kind,
        env: await this.#environmentOf(place)
      })
      const nodes = await Promise.all(places.map(own))
      return { entry, env: environmentOf("actor", env), message: { nodes } }
    })
  }

  #process(
    name: string,
    stopGraceMs: number,
    launch: () => Promise<Pick<NodeChildOptions, "entry" | "env" | "message">>
  ): SupervisedRole {
    const { root, autoRestart, report, onLine } = this.#options
    return new SupervisedRole({
      name,
      autoRestart,
      stopGraceMs,
      report,
      changed: () => this.#changed(),
      launch: async (onSpawn) =>
        startNodeChild({ name, cwd: root, onLine: (line) => onLine(name, line), onSpawn, ...(await launch()) })
    })
  }

  async #environmentOf(place: NodePlace): Promise<NodeJS.ProcessEnv> {
    const { kind, index } = place
    const { env, edgePorts, mailPort, consolePort, nodeEnv } = this.#options
    return this.#asItsUser(kind, {
      ...env,
      HUB_NATS_URL: this.#nats.url,
      HUB_DATABASE_URL: this.#postgres.url,
      HUB_METRICS_PORT: String(await this.#metrics.portOf(this.#metricsPlaceOf(place))),
      ...(kind === "edge" ? { HUB_PORT: String(edgePorts[index]) } : {}),
      ...(kind === "console" ? { HUB_CONSOLE_PORT: String(consolePort), HUB_CONSOLE_LINKS: "true" } : {}),
      ...(kind === "mail" ? mailEnvironment(mailPort ?? null) : {}),
      ...(kind === "keeper" || kind === "runtime" ? { HUB_ROLES: kind } : {}),
      ...nodeEnv?.(kind, index)
    })
  }

  #asItsUser(kind: NodeKind, given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const env = environmentOf(kind, given)
    return { ...env, HUB_NATS_URL: this.natsUrlFor(kind, env["HUB_ROLES"], env["HUB_NATS_URL"]) }
  }

  /**
   * The address of the bus for a node. `roles` is the value of HUB_ROLES. If this stack started the server, the address
   * has the user of the role, and for the console the operator. Otherwise it is the address that was given.
   */
  natsUrlFor(kind: NodeKind, roles: string | undefined, url = this.#nats.url): string {
    if (typeof this.#options.nats === "string") return url
    return kind === "console"
      ? operatorAddress(url, this.#passwords)
      : addressFor(kind === "edge" ? kind : "actor", roles, url, this.#passwords)
  }

  async #untilHealthy(edge: EdgeRole): Promise<void> {
    const isOver = patience(HEALTH_DEADLINE_MS)
    let seen = "no answer"
    while (!isOver() && this.#stopped === undefined) {
      const answer = await fetch(edge.url + HEALTH_PATH, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).then(
        async (response) => {
          const body = await response.text()
          return { status: response.status, text: `${response.status} ${body.slice(0, 200)}` }
        },
        (cause: unknown) => ({ status: 0, text: messageOf(cause) })
      )
      if (answer.status === 200) return
      seen = answer.text
      await delay(HEALTH_PAUSE_MS)
    }
    throw new LaunchFault(`${edge.role.name} at ${edge.url} is not healthy: ${seen}`)
  }
}
