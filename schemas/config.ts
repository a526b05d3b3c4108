/**
 * Configuration (contract 15). The environment's text becomes checked values once, at the start of a process. A bad
 * value is reported in one line that names it.
 */
import { type ArchiveSettings, readArchiveSettings } from "./archive/settings.ts"
import { type ChatSettings, readChatSettings } from "./chat/settings.ts"
import { type PushSettings, readPushSettings } from "./push/settings.ts"
import { readRuntimeSettings, type RuntimeSettings } from "./compartment/settings.ts"
import { type ConsoleSettings, readConsoleSettings } from "./console/settings.ts"
import { busServers } from "./bus/servers.ts"
import type { Limits } from "./limits.ts"
import { type LetterSettings, readLetterSettings } from "./letter/settings.ts"
import { type MailSettings, readMailSettings } from "./mail/settings.ts"
import { overrideLimits } from "./limits-override.ts"
import { hubUrlInside } from "./compartment/hub-url.ts"
import { MAIL_ADDRESS, SINGLE_LINE } from "./plain-text.ts"
import { probeProblem, PROBES_MAX } from "./probes.ts"
import { parseSeed, SEED_BYTES } from "./signing/seed.ts"
import { normaliseHost } from "./signing/request.ts"
import { withoutTrailing } from "./text.ts"
import { readTraceSettings, type TraceSettings } from "./trace-settings.ts"

export interface HubConfig {
  readonly env: "development" | "production"
  readonly port: number
  /** The port of the private listener for scrapers; 0 if there is none. */
  readonly metricsPort: number
  /** The service's public address without a trailing slash. */
  readonly baseUrl: string
  /** Host lines that signatures may contain (contract 0). */
  readonly hosts: ReadonlyArray<string>
  readonly data: string
  readonly name: string
  /** The contact for reports of security weaknesses: an address that begins with `mailto:` or `https:`. */
  readonly contact: string | null
  readonly natsUrl: string
  readonly databaseUrl: string | null
  readonly roles: ReadonlyArray<ActorRole>
  /** Unix ms after which a version 1 signature is refused (spec 9). */
  readonly v1Until: number
  readonly captchaBypass: string | null
  /** Folder of the deployment's own questions and facts, read by processes that make challenges. */
  readonly questions: string | null
  /** True if, in production, challenges may use only the wording of the public source. */
  readonly publicQuestions: boolean
  readonly limits: Limits
  /** The number of trusted proxies in `X-Forwarded-For`, from the right. */
  readonly trustProxy: number
  /** Networks from which `GET /health` counts against no rate limit. */
  readonly probes: ReadonlyArray<string>
  /** The address that an edge listens on; `null` for every interface. */
  readonly bind: string | null
  /**
   * Seconds for which a stopping edge continues to serve while it reports that it is not ready, so that balancers stop
   * using it.
   */
  readonly leaveSeconds: number
  /** Copies of every stream: 1, or the number of nats-servers that shall hold one. */
  readonly streamReplicas: number
  /** Addresses of the nats-servers' monitoring, which shows the free space of the log. Empty if it is not used. */
  readonly natsMonitors: ReadonlyArray<string>
  /** The place of the log's archive; `null` if the log is not archived. */
  readonly archive: ArchiveSettings | null
  /** `null` if nothing is traced. */
  readonly traces: TraceSettings | null
  /** The way in which letters are sent; `null` if the service or this process sends none. */
  readonly letters: LetterSettings | null
  /** The chat through which people are reached; `null` if the service or this process uses none. */
  readonly chat: ChatSettings | null
  /** The settings of web push; `null` if the service or this process uses none. */
  readonly push: PushSettings | null
  /** `null` if the service has no mail. */
  readonly mail: MailSettings | null
  /** The settings of a compartment host; `null` if this process is not one. */
  readonly runtime: RuntimeSettings | null
  /** The settings of the operators' console, which is a separate process. */
  readonly console: ConsoleSettings
}

export type ConfigResult =
  | { readonly ok: true; readonly config: HubConfig }
  | { readonly ok: false; readonly problem: string }

class Problem extends Error {}

type Env = Readonly<Record<string, string | undefined>>

/**
 * The roles of an actor process. `actors` owns shards (with timers and projections), `queries` reads the read models,
 * `webhooks` delivers to the agents' webhooks. `mail` receives mail by SMTP or from the provider, `keeper` keeps the
 * keys of vaults, and `runtime` runs the compartments of its machine. `mail`, `keeper` and `runtime` each need a
 * process without other roles.
 */
export const ACTOR_ROLES = ["actors", "queries", "webhooks", "mail", "keeper", "runtime"] as const
/**
 * The roles of a process if HUB_ROLES is not set. `mail` is not among them, because a process that talks to strangers'
 * mail servers does nothing else.
 */
const USUAL_ROLES: ReadonlyArray<string> = ["actors", "queries", "webhooks"]
export type ActorRole = (typeof ACTOR_ROLES)[number]

const AGENTS_MAX = 100_000_000
const DAYS_MAX = 36_500

export const readConfig = (env: Env): ConfigResult => {
  try {
    return { ok: true, config: parse(env) }
  } catch (error) {
    if (error instanceof Problem) return { ok: false, problem: error.message }
    throw error
  }
}

const parse = (env: Env): HubConfig => {
  const mode = oneOf(env, "HUB_ENV", ["development", "production"] as const, "production")
  const port = integer(env, "HUB_PORT", 8080, 1, 65535)
  const baseUrl = webAddress(env, "HUB_BASE_URL", `http://127.0.0.1:${port}`)
  const limits = overrideLimits(env["HUB_LIMITS"])
  if (!limits.ok) throw new Problem(limits.problem)
  if (mode === "production" && filled(env["HUB_LIMITS"]))
    throw new Problem("HUB_LIMITS is for development only: unset it")
  if (mode === "production" && filled(env["HUB_CAPTCHA_BYPASS"])) {
    throw new Problem("HUB_CAPTCHA_BYPASS is for development only: unset it")
  }
  const isPublicAllowed = flag(env, "HUB_ALLOW_PUBLIC_DEVELOPMENT")
  const bind = listeningAddress(env) ?? (mode === "development" ? "127.0.0.1" : null)
  if (mode === "development" && !isLoopback(bind) && !isPublicAllowed) {
    throw new Problem(
      "HUB_BIND must be a loopback address in development, where limits and checks are open: " +
        "set HUB_ENV to production (or, in a closed network, HUB_ALLOW_PUBLIC_DEVELOPMENT to true)"
    )
  }
  const traces = readTraceSettings(env, mode)
  if (!traces.ok) throw new Problem(traces.problem)
  const [name, roles] = [shownName(env), roleList(env)]
  return {
    env: mode,
    port,
    metricsPort: integer(env, "HUB_METRICS_PORT", 0, 0, 65535),
    baseUrl,
    hosts: hostList(env, baseUrl),
    data: path(env, "HUB_DATA") ?? ".hub",
    name,
    contact: contactAddress(env),
    natsUrl: busAddresses(env),
    databaseUrl: databaseAddress(env),
    roles,
    v1Until: instant(env, "HUB_V1_UNTIL", "2026-10-24T00:00:00Z"),
    captchaBypass: text(env, "HUB_CAPTCHA_BYPASS"),
    questions: path(env, "HUB_QUESTIONS"),
    publicQuestions: flag(env, "HUB_ALLOW_PUBLIC_QUESTIONS"),
    limits: sizedFor(limits.limits, {
      agents: integer(env, "HUB_AGENTS", limits.limits.service.agents, 1, AGENTS_MAX),
      archive_after_days: integer(env, "HUB_ARCHIVE_AFTER_DAYS", limits.limits.service.archive_after_days, 1, DAYS_MAX)
    }),
    trustProxy: integer(env, "HUB_TRUST_PROXY", 0, 0, 10),
    probes: probeList(env),
    bind,
    leaveSeconds: integer(env, "HUB_LEAVE_SECONDS", 0, 0, LEAVE_MAX_SECONDS),
    streamReplicas: integer(env, "HUB_STREAM_REPLICAS", 1, 1, REPLICAS_MAX),
    natsMonitors: monitorList(env),
    traces: traces.settings,
    ...settingsOf(env, { mode, baseUrl, name, roles })
  }
}

interface Running {
  readonly mode: HubConfig["env"]
  readonly baseUrl: string
  readonly name: string
  readonly roles: ReadonlyArray<ActorRole>
}

/** All settings are read in every role, so that a wrong value stops the start of every process (contract 22). */
const settingsOf = (env: Env, { mode, baseUrl, name, roles }: Running) => {
  for (const key of KEYS) checkKey(env, key)
  const [hasActors, isHost] = [roles.includes("actors"), roles.includes("runtime")]
  const letters = letterSettings(env, { mode, baseUrl, name, sends: hasActors })
  const [chat, push] = [chatSettings(env), pushSettings(env)]
  const runtime = runtimeSettings(env, isHost)
  return {
    letters: hasActors ? letters : null,
    chat: hasActors ? chat : null,
    push: hasActors ? push : null,
    archive: archiveSettings(env),
    mail: mailSettings(env, mode),
    console: consoleSettings(env),
    runtime: isHost ? runtime : null
  }
}

/** Variables with keys of 32 bytes in base64. For all but the last two, `<name>_FILE` may name a file instead. */
const KEYS = [
  "HUB_SERVER_KEY",
  "HUB_MAIL_KEY",
  "HUB_VAULT_KEY",
  "HUB_VAULT_KEY_FORMER",
  "HUB_RUNTIME_KEY",
  "HUB_SERVER_PUBLIC_KEY",
  "HUB_ADDRESS_KEY"
]

const checkKey = (env: Env, name: string): void => {
  const value = text(env, name)
  if (value !== null && parseSeed(value) === null) throw new Problem(`${name} must be base64 of ${SEED_BYTES} bytes`)
  const file = text(env, `${name}_FILE`)
  if (file !== null && !isPath(file)) throw new Problem(`${name}_FILE must be the path of a file`)
}

const isPath = (value: string): boolean => SINGLE_LINE.test(value)

/** Streams that hold something for each agent are sized for the configured number of agents. */
const sizedFor = (limits: Limits, sizes: Pick<Limits["service"], "agents" | "archive_after_days">): Limits => ({
  ...limits,
  service: { ...limits.service, ...sizes }
})

const letterSettings = (env: Env, service: Parameters<typeof readLetterSettings>[1]): LetterSettings | null => {
  const read = readLetterSettings(env, service)
  if (!read.ok) throw new Problem(read.problem)
  return read.settings
}

const chatSettings = (env: Env): ChatSettings | null => {
  const read = readChatSettings(env)
  if (!read.ok) throw new Problem(read.problem)
  return read.settings
}

const pushSettings = (env: Env): PushSettings | null => {
  const read = readPushSettings(env)
  if (!read.ok) throw new Problem(read.problem)
  return read.settings
}

const archiveSettings = (env: Env): ArchiveSettings | null => {
  const read = readArchiveSettings(env)
  if (!read.ok) throw new Problem(read.problem)
  return read.settings
}

const mailSettings = (env: Env, mode: HubConfig["env"]): MailSettings | null => {
  const read = readMailSettings(env, mode)
  if (!read.ok) throw new Problem(read.problem)
  return read.settings
}

const consoleSettings = (env: Env): ConsoleSettings => {
  const read = readConsoleSettings(env)
  if (!read.ok) throw new Problem(read.problem)
  return read.settings
}

const runtimeSettings = (env: Env, isHost: boolean): RuntimeSettings => {
  const read = readRuntimeSettings(env, isHost)
  if (!read.ok) throw new Problem(read.problem)
  return read.settings
}

/** True if the address cannot be reached from other machines. */
const isLoopback = (bind: string | null): boolean =>
  bind !== null && /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|localhost)$/.test(bind)

/** The most seconds that may be set. */
const LEAVE_MAX_SECONDS = 60
/** The most replicas that nats-server allows for a stream. */
const REPLICAS_MAX = 5

const MONITORS_MAX = 16

const filled = (value: string | undefined): boolean => value !== undefined && value.trim() !== ""

/** The value of a variable; `null` if it is not set. */
const text = (env: Env, name: string): string | null => (filled(env[name]) ? (env[name] ?? null) : null)

const flag = (env: Env, name: string): boolean => oneOf(env, name, ["true", "false"] as const, "false") === "true"

/** Existence of the path is checked by the code that reads it. */
const path = (env: Env, name: string): string | null => {
  const value = text(env, name)
  if (value !== null && !isPath(value)) throw new Problem(`${name} must be a path, in one line`)
  return value
}

const HOST_NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/i

const listeningAddress = (env: Env): string | null => {
  const value = text(env, "HUB_BIND")
  const isIpv6 = value?.includes(":") === true && URL.canParse(`http://[${value.split("%", 1)[0] ?? ""}]`)
  if (value === null || isIpv6 || HOST_NAME.test(value)) return value
  throw new Problem("HUB_BIND must be an address of this machine, such as 127.0.0.1")
}

const oneOf = <T extends string>(env: Env, name: string, values: ReadonlyArray<T>, fallback: T): T => {
  const value = env[name]
  if (!filled(value)) return fallback
  const found = values.find((candidate) => candidate === value)
  if (found === undefined) throw new Problem(`${name} must be one of ${values.join(", ")}`)
  return found
}

const integer = (env: Env, name: string, fallback: number, min: number, max: number): number => {
  const value = env[name]
  if (!filled(value)) return fallback
  const number = Number(value)
  if (!Number.isInteger(number) || number < min || number > max) {
    throw new Problem(`${name} must be a whole number from ${min} to ${max}`)
  }
  return number
}

const webAddress = (env: Env, name: string, fallback: string): string => {
  const value = text(env, name) ?? fallback
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new Problem(`${name} must be an http or https address`)
  const { username, password, search, hash } = new URL(value)
  // Paths are appended to the address, and everybody can read it. So it may have no user, password, query or fragment.
  if (username + password + search + hash !== "")
    throw new Problem(`${name} must not hold a user, a password, a query or a fragment`)
  return withoutTrailing(value, "/")
}

const monitorList = (env: Env): ReadonlyArray<string> => {
  const all = (text(env, "HUB_NATS_MONITOR") ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
  if (all.length <= MONITORS_MAX && all.every((one) => URL.canParse(one) && /^https?:$/.test(new URL(one).protocol)))
    return all
  throw new Problem(
    `HUB_NATS_MONITOR must be at most ${MONITORS_MAX} http addresses such as http://host:8222, with commas between`
  )
}

const probeList = (env: Env): ReadonlyArray<string> => {
  const all = (text(env, "HUB_PROBES") ?? "").split(",").map((one) => one.trim())
  if (all.length === 1 && all[0] === "") return []
  if (all.length > PROBES_MAX) throw new Problem(`HUB_PROBES takes at most ${PROBES_MAX} addresses and networks`)
  for (const [index, one] of all.entries()) {
    const problem = probeProblem(one)
    if (problem !== null) throw new Problem(`HUB_PROBES: entry ${index + 1} ${problem}`)
  }
  return all
}

/** Addresses of servers may contain a password, so a problem never repeats them. */
const busAddresses = (env: Env): string => {
  const value = text(env, "HUB_NATS_URL") ?? "nats://127.0.0.1:4222"
  if (busServers(value, "edge") !== null) return value
  throw new Problem(
    "HUB_NATS_URL must be one or more addresses such as nats://host:4222 or tls://host:4222, with commas between"
  )
}

const databaseAddress = (env: Env): string | null => {
  const value = text(env, "HUB_DATABASE_URL")
  if (value === null || (URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol))) return value
  throw new Problem("HUB_DATABASE_URL must be an address such as postgres://user:password@host:5432/database")
}

const NAME_MAX_CHARS = 80

const shownName = (env: Env): string => {
  const value = text(env, "HUB_NAME") ?? "Hub"
  if (value.length > NAME_MAX_CHARS || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) {
    throw new Problem(`HUB_NAME must be one line of at most ${NAME_MAX_CHARS} characters`)
  }
  return value
}

const CONTACT_MAX_CHARS = 320

/** The address is printed on a separate line, so it must not contain line breaks. */
const contactAddress = (env: Env): string | null => {
  const value = text(env, "HUB_CONTACT")?.trim() ?? null
  if (value === null) return null
  if (value.length <= CONTACT_MAX_CHARS) {
    const mail = value.startsWith("mailto:") ? value.slice("mailto:".length) : value
    if (MAIL_ADDRESS.test(mail)) return `mailto:${mail}`
    if (/^https:\/\/[\x21-\x7e]+$/.test(value) && URL.canParse(value)) return value
  }
  throw new Problem("HUB_CONTACT must be a mail address, or an address that begins with https:")
}

const hostList = (env: Env, baseUrl: string): ReadonlyArray<string> => {
  const inside = hubUrlInside(baseUrl)
  const names = text(env, "HUB_HOSTS")
    ?.split(",")
    .map((name) => name.trim()) ?? [new URL(baseUrl).host, ...(inside === baseUrl ? [] : [new URL(inside).host])]
  return names.map((name) => {
    const host = normaliseHost(name)
    if (host === null) throw new Problem(`HUB_HOSTS holds ${JSON.stringify(name)}, which is no host name`)
    return host
  })
}

const roleList = (env: Env): ReadonlyArray<ActorRole> => {
  const names =
    text(env, "HUB_ROLES")
      ?.split(",")
      .map((role) => role.trim()) ?? USUAL_ROLES
  return [...new Set(names)].map((name) => {
    const role = ACTOR_ROLES.find((known) => known === name)
    if (role === undefined)
      throw new Problem(`HUB_ROLES holds ${JSON.stringify(name)}; known roles: ${ACTOR_ROLES.join(", ")}`)
    return role
  })
}

/** `Date.parse` also accepts texts that are no ISO 8601 dates. */
const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

const instant = (env: Env, name: string, fallback: string): number => {
  const value = text(env, name) ?? fallback
  const at = Date.parse(value)
  if (!ISO_8601.test(value) || Number.isNaN(at)) throw new Problem(`${name} must be a date or a time in ISO 8601`)
  return at
}
