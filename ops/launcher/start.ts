/**
 * `npm start`: the whole product on this machine until a signal ends it.
 *
 * Standard output carries one line, `ready <base url>`, when every role answers. Everything else is written to standard
 * error: slow steps, the output of nodes, and processes that died. A signal, or the end of the parent process, stops
 * everything in order and gives status 0 at any moment, also half-way through the start.
 */
import { join } from "node:path"
import { outboxOf } from "../../actors/kit/mailing/outbox.ts"
import { readConfig } from "../../schemas/config.ts"
import { type Program, readCommandLine } from "../../schemas/runtime/command-line.ts"
import { consoleLine } from "./console-line.ts"
import { claimDataFolder } from "./data-folder.ts"
import type { DataFolder } from "./data-folder.ts"
import { LaunchFault, messageOf } from "./fault.ts"
import { findNatsServer } from "./nats-binary.ts"
import { archiveIn, dataFolder, projectRoot } from "./paths.ts"
import { drawPort, portIsFree } from "./ports.ts"
import { addressing } from "./prepared.ts"
import { type RuntimeHost, runtimeHost } from "./runtime-host.ts"
import { Stack } from "./stack.ts"
import type { StackOptions } from "./stack.ts"

const MOST_NODES = 32
const HIGHEST_PORT = 65_535

export interface StartSettings {
  readonly edgePorts: ReadonlyArray<number>
  readonly actors: number
  /** True if all nodes that can share a process do so. */
  readonly combined: boolean
  readonly dataDir: string
  readonly baseUrl: string
  /** Described at `StackOptions.metrics`. */
  readonly metrics: "free" | number | null
  /** The folder for letters to people. `null` if letters are sent by a mail server, or not at all. */
  readonly outbox: string | null
  /** `port`: 0 for a free one; `null` if a provider receives the mail. `null` in place of both if there is no mail. */
  readonly mail: { readonly port: number | null; readonly domain: string } | null
  readonly runtime: boolean
  /** Port of the operators' console, and whether a setting named it. `null` if there is no console. */
  readonly console: { readonly port: number; readonly named: boolean } | null
  readonly env: NodeJS.ProcessEnv
}

export interface StartOptions {
  readonly args: ReadonlyArray<string>
  readonly env: NodeJS.ProcessEnv
  readonly entries: StackOptions["entries"]
  /**
   * The program that runs edges, actors, the keeper and the console in one process. If absent, each node has its own
   * process.
   */
  readonly combined?: ReadonlyArray<string>
  /** Runs after all nodes answer, and before `ready` is printed. Must not fail. */
  readonly serving?: (stack: Stack, say: (line: string) => void) => Promise<void>
}

function count(name: string, text: string | undefined): number {
  if (text === undefined) return 1
  const value = /^\d+$/.test(text) ? Number(text) : -1
  // With 0 edges and 0 actors only the servers start, for a restore.
  if (value >= 0 && value <= MOST_NODES) return value
  throw new LaunchFault(`--${name} takes a number from 0 to ${MOST_NODES}, not "${text}"`)
}

const USAGE = "[--edges N] [--actors N] [--mail] [--runtime] [--no-console]"

const START_USAGE = `usage: npm start -- ${USAGE}
  --edges N, --actors N  how many processes of each. With neither, one process does all of it (in production: one
                         process for each role)
  --mail                 mail between its agents, at mail.localhost, received by SMTP on loopback (HUB_MAIL_PORT, else a
                         free port, told at the start); what they send elsewhere is a file in <HUB_DATA>/outbox
  --runtime              agents' programs in compartments of this machine (root, on Debian); what they need is made
                         ready beside the service, and they outlive it
  --no-console           without the operators' console, which is at HUB_CONSOLE_PORT (else the port after the edges')
  HUB_PORT (8080), HUB_DATA (.hub) and all else by the environment: ops/docs/run-a-cluster.md, "Configuration"
`

const START: Program<{ readonly usage: ReadonlyArray<string> }> = {
  name: "npm start --",
  commands: [{ usage: [USAGE] }],
  refuse: (reason, [line]) => new LaunchFault(`${reason} (usage: ${line})`)
}

type Values = { readonly [Name in "edges" | "actors"]?: string } & {
  readonly [Name in "mail" | "runtime" | "no-console"]?: boolean
}

/** Defaults of `--mail`: mail between this machine's own agents. The environment's settings take precedence. */
const MAIL_BY_ITSELF = { HUB_MAIL_PROVIDER: "smtp", HUB_MAIL_DOMAIN: "mail.localhost", HUB_MAIL_PORT: "0" }

/** Returns the text of the help if the arguments ask for it. */
export function parseSettings(args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): StartSettings | string {
  const read = readCommandLine(START, args)
  if (read.is !== "command") return START_USAGE
  const values = read.args.values as Values
  const edges = count("edges", values.edges)
  const dataDir = dataFolder(env)
  const given = {
    ...(values.mail === true ? MAIL_BY_ITSELF : {}),
    ...env,
    HUB_DATA: dataDir,
    // A log on this machine has its archive beside it. For a log that several machines share, the environment names the
    // archive.
    ...(env["HUB_NATS_URL"] || env["HUB_ARCHIVE"] ? {} : { HUB_ARCHIVE: archiveIn(dataDir) }),
    HUB_ENV: env["HUB_ENV"] || "development"
  }
  // The nodes read the same settings in the same way, so a wrong one is reported before anything starts.
  const parsed = readConfig(given)
  if (!parsed.ok) throw new LaunchFault(parsed.problem)
  const { port, baseUrl, env: mode, metricsPort, letters, mail } = parsed.config
  if (port + edges - 1 > HIGHEST_PORT)
    throw new LaunchFault(`HUB_PORT leaves no room for ${edges} edges; take a lower one`)
  const actors = count("actors", values.actors)
  const runtime = values.runtime === true
  if (metricsPort + edges + actors - 1 > HIGHEST_PORT)
    throw new LaunchFault(`HUB_METRICS_PORT leaves no room for ${edges + actors} processes; take a lower one`)
  // In production the ports for metrics are on every interface, so they are opened only if a setting says so.
  const unsaid = (env["HUB_METRICS_PORT"] ?? "").trim() === "" && mode === "development"
  const edgePorts = Array.from({ length: edges }, (_, index) => port + index)
  return {
    edgePorts,
    actors,
    combined: values.edges === undefined && values.actors === undefined && mode === "development",
    dataDir,
    baseUrl,
    metrics: unsaid ? "free" : metricsPort === 0 ? null : metricsPort,
    mail: mail === null ? null : { port: mail.provider === "smtp" ? mail.port : null, domain: mail.domain },
    outbox: letters?.transport === "file" ? outboxOf(dataDir) : null,
    runtime,
    console: values["no-console"] === true || edges + actors === 0 ? null : consoleOf(env, port + edges),
    env: { ...given, ...addressing(env, baseUrl, edgePorts, runtime) }
  }
}

/** The port after the edges' ports, unless a setting names another. */
function consoleOf(env: NodeJS.ProcessEnv, next: number): NonNullable<StartSettings["console"]> {
  const named = (env["HUB_CONSOLE_PORT"] ?? "").trim()
  return named === "" ? { port: next, named: false } : { port: Number(named), named: true }
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Aborted by the first signal, or when the parent process is gone. */
function stopRequest(): AbortSignal {
  const request = new AbortController()
  const ask = () => request.abort()
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, ask)
  if (process.connected) process.on("disconnect", ask)
  // A reader that closes our output must not end this process, because the others would be left behind.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
  return request.signal
}

function noteRun(folder: DataFolder, stack: Stack): void {
  try {
    folder.writeRun(stack)
  } catch (cause) {
    // A full disk must not take the nodes down with it.
    say(`run.json could not be written: ${messageOf(cause)}`)
  }
}

async function refuseTakenPorts(ports: ReadonlyArray<number>): Promise<void> {
  for (const port of ports) {
    if (await portIsFree(port)) continue
    throw new LaunchFault(`port ${port} is taken; stop the program that uses it or set HUB_PORT to another port`)
  }
}

/** The port of the console. If no setting named it and another program has it, another port is drawn. */
async function consolePortOf({ console }: StartSettings): Promise<number | undefined> {
  if (console === null || (await portIsFree(console.port))) return console?.port
  if (!console.named) return drawPort()
  throw new LaunchFault(
    `port ${console.port} is taken; stop the program that uses it or set HUB_CONSOLE_PORT to another port`
  )
}

async function buildStack(
  settings: StartSettings,
  { entries, combined }: Pick<StartOptions, "entries" | "combined">,
  folder: DataFolder,
  signal: AbortSignal
): Promise<Stack> {
  const { env, dataDir, edgePorts, metrics, mail } = settings
  await refuseTakenPorts(edgePorts)
  const consolePort = entries.console === undefined ? undefined : await consolePortOf(settings)
  const mailPort = mail === null ? undefined : mail.port === 0 ? await drawPort() : mail.port
  const natsUrl = env["HUB_NATS_URL"]
  const databaseUrl = env["HUB_DATABASE_URL"]
  return new Stack({
    root: projectRoot,
    env,
    nats: natsUrl || {
      binary: await findNatsServer({ env, dataDir, progress: say, signal }),
      dataDir: join(dataDir, "nats")
    },
    postgres: databaseUrl || { dataDir: join(dataDir, "postgres"), progress: say },
    edgePorts,
    actors: settings.actors,
    ...(metrics === null ? {} : { metrics }),
    ...(mailPort === undefined ? {} : { mailPort }),
    ...(consolePort === undefined ? {} : { consolePort }),
    keeper: settings.actors > 0,
    ...(settings.combined && combined !== undefined ? { combined } : {}),
    runtime: settings.runtime && settings.actors > 0,
    entries,
    autoRestart: true,
    report: say,
    onLine: (role, line) => say(`[${role}] ${line}`),
    changed: (stack) => noteRun(folder, stack)
  })
}

const PUBLIC_QUESTIONS =
  "registration questions use public words, which keep no program out: see ops/docs/questions.md before others use this"

/** Resolves with the exit status. */
export async function start(options: StartOptions): Promise<number> {
  const settings = parseSettings(options.args, options.env)
  if (typeof settings === "string") {
    process.stdout.write(settings)
    return 0
  }
  const signal = stopRequest()
  const folder = await claimDataFolder(settings.dataDir)
  let stack: Stack | undefined
  let host: RuntimeHost | undefined
  try {
    stack = await buildStack(settings, options, folder, signal)
    if (stack.runtime !== undefined) host = runtimeHost({ ...settings, say })
    const stopped = stopOn(signal, stack, host)
    await stack.start()
    if (!signal.aborted) await Promise.race([options.serving?.(stack, say), stopped])
    if (!signal.aborted) {
      if (stack.edges.length !== 1) say(edgesOf(stack))
      if (stack.mail !== undefined && settings.mail !== null) say(receivedAt(settings.mail.domain, stack.mail.port))
      if (settings.outbox !== null && stack.actors.length > 0) say(`letters to people are files in ${settings.outbox}`)
      if (stack.actors.length > 0 && (options.env["HUB_QUESTIONS"] ?? "") === "") say(PUBLIC_QUESTIONS)
      process.stdout.write(`ready ${settings.baseUrl}\n`)
      if (stack.console !== undefined) say(await consoleLine(stack.console.url, stack.nats.operatorUrl, options.env))
    }
    await stopped
  } catch (cause) {
    await stack?.stop()
    await host?.stop()
    // Errors that the stop causes are no failure.
    if (!signal.aborted) throw cause
  } finally {
    folder.release()
  }
  return 0
}

const receivedAt = (domain: string, port: number | null): string =>
  port === null
    ? `mail for ${domain} is told by the provider at /api/v1/email/inbound/ses`
    : `mail for ${domain} is received at smtp://127.0.0.1:${port}`

/** A line with the address of each edge. Behind a balancer the base address is the same for all. */
function edgesOf({ edges }: Stack): string {
  return edges.length === 0
    ? "no edge was wanted: nothing answers HTTP"
    : `edges: ${edges.map(({ url }) => url).join(", ")}`
}

async function stopOn(signal: AbortSignal, stack: Stack, host: RuntimeHost | undefined): Promise<void> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
  }
  await stack.stop()
  await host?.stop()
}
