/**
 * Configuration (contract 15): the environment's text turned into checked values, once, at the start of a process.
 * A bad value is one line that names it; nothing else in the project reads the environment.
 */
import { type Limits, overrideLimits } from "./limits.ts"
import { normaliseHost } from "./signing/request.ts"

export interface HubConfig {
  readonly env: "development" | "production"
  readonly port: number
  /** No trailing slash. */
  readonly baseUrl: string
  /** Host lines that signatures may name (contract 0). */
  readonly hosts: ReadonlyArray<string>
  readonly data: string
  readonly name: string
  readonly natsUrl: string
  readonly databaseUrl: string | null
  readonly roles: ReadonlyArray<string>
  /** Unix ms after which a version 1 signature is refused (spec 9). */
  readonly v1Until: number
  readonly captchaBypass: string | null
  readonly limits: Limits
  /** How many proxies to believe in `X-Forwarded-For`, from the right. */
  readonly trustProxy: number
}

export type ConfigResult = { readonly ok: true; readonly config: HubConfig } | { readonly ok: false; readonly problem: string }

class Problem extends Error {}

type Env = Readonly<Record<string, string | undefined>>

/** What an actor process may do: `actors` owns shards (with timers and projections), `queries` reads the read models. */
export const ACTOR_ROLES = ["actors", "queries"] as const

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
  if (mode === "production" && filled(env["HUB_LIMITS"])) throw new Problem("HUB_LIMITS is for development only: unset it")
  if (mode === "production" && filled(env["HUB_CAPTCHA_BYPASS"])) {
    throw new Problem("HUB_CAPTCHA_BYPASS is for development only: unset it")
  }
  return {
    env: mode,
    port,
    baseUrl,
    hosts: hostList(env, baseUrl),
    data: env["HUB_DATA"] ?? ".hub",
    name: env["HUB_NAME"] ?? "Hub",
    natsUrl: env["HUB_NATS_URL"] ?? "nats://127.0.0.1:4222",
    databaseUrl: filled(env["HUB_DATABASE_URL"]) ? (env["HUB_DATABASE_URL"] ?? null) : null,
    roles: roleList(env),
    v1Until: instant(env, "HUB_V1_UNTIL", "2026-10-24T00:00:00Z"),
    captchaBypass: filled(env["HUB_CAPTCHA_BYPASS"]) ? (env["HUB_CAPTCHA_BYPASS"] ?? null) : null,
    limits: limits.limits,
    trustProxy: integer(env, "HUB_TRUST_PROXY", 0, 0, 10)
  }
}

const filled = (value: string | undefined): boolean => value !== undefined && value.trim() !== ""

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
  const value = filled(env[name]) ? (env[name] ?? fallback) : fallback
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) throw new Problem(`${name} must be an http or https address`)
  return value.replace(/\/+$/, "")
}

const hostList = (env: Env, baseUrl: string): ReadonlyArray<string> => {
  const names = filled(env["HUB_HOSTS"]) ? (env["HUB_HOSTS"] ?? "").split(",").map((name) => name.trim()) : [new URL(baseUrl).host]
  return names.map((name) => {
    const host = normaliseHost(name)
    if (host === null) throw new Problem(`HUB_HOSTS holds ${JSON.stringify(name)}, which is no host name`)
    return host
  })
}

const roleList = (env: Env): ReadonlyArray<string> => {
  if (!filled(env["HUB_ROLES"])) return ACTOR_ROLES
  const roles = (env["HUB_ROLES"] ?? "").split(",").map((role) => role.trim())
  const unknown = roles.find((role) => !ACTOR_ROLES.some((known) => known === role))
  if (unknown !== undefined) throw new Problem(`HUB_ROLES holds ${JSON.stringify(unknown)}; known roles: ${ACTOR_ROLES.join(", ")}`)
  return roles
}

const instant = (env: Env, name: string, fallback: string): number => {
  const at = Date.parse(filled(env[name]) ? (env[name] ?? fallback) : fallback)
  if (Number.isNaN(at)) throw new Problem(`${name} must be a date or a time in ISO 8601`)
  return at
}
