/** Checks the options of a verifier and adds the defaults. */
import { normaliseHost } from "../../../schemas/signing/request.ts"
import { withoutTrailing } from "../../../schemas/text.ts"
import { BOUNDS } from "./bounds.ts"
import type { Fetch, VerifierOptions } from "./interface.ts"
import { misuse } from "./misuse.ts"
import { runtime } from "./runtime.ts"

export interface Settings {
  readonly hub: string
  readonly hosts: ReadonlyArray<string>
  readonly fetch: Fetch
  readonly now: () => number
  readonly clock: "hub" | "own"
  readonly maxStaleMs: number
  readonly fetchTimeoutMs: number
  readonly waitMs: number
  readonly storeTimeoutMs: number
  readonly maxDirectoryBytes: number
  readonly maxAgents: number
}

const LOOPBACK = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])$/

const hubOf = (text: string, allowInsecure: boolean): string => {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw misuse("`hub` must be the hub's address, as https://hub.example")
  }
  const secure =
    url.protocol === "https:" || (url.protocol === "http:" && (allowInsecure || LOOPBACK.test(url.hostname)))
  if (!secure) throw misuse("`hub` must be an https address")
  if (url.username + url.password + url.search + url.hash !== "")
    throw misuse("`hub` must have no credentials, query or fragment")
  return url.origin + withoutTrailing(url.pathname, "/")
}

const hostsOf = (hosts: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!Array.isArray(hosts) || hosts.length === 0 || hosts.length > BOUNDS.hosts)
    throw misuse(`\`hosts\` must name 1 to ${BOUNDS.hosts} hosts`)
  const normalised = hosts.map((host) => {
    const name = normaliseHost(String(host))
    if (name === null) throw misuse(`\`hosts\`: ${JSON.stringify(host)} is no host name`)
    return name
  })
  return [...new Set(normalised)]
}

export const positive = (name: string, value: number | undefined, otherwise: number): number => {
  if (value === undefined) return otherwise
  if (typeof value !== "number" || !(value > 0) || !Number.isFinite(value))
    throw misuse(`\`${name}\` must be a number above 0`)
  return value
}

export const settingsOf = (options: VerifierOptions): Settings => {
  const fetch = options.fetch ?? ((url, init) => (runtime.fetch as Fetch)(url, init))
  if (typeof fetch !== "function") throw misuse("`fetch` must be a function")
  return {
    hub: hubOf(options.hub, options.allowInsecureHub === true),
    hosts: hostsOf(options.hosts),
    fetch,
    now: options.now ?? Date.now,
    clock: options.clock ?? "hub",
    maxStaleMs: positive("maxStaleSeconds", options.maxStaleSeconds, 3600) * 1000,
    fetchTimeoutMs: positive("fetchTimeoutMs", options.fetchTimeoutMs, 60_000),
    waitMs: positive("waitMs", options.waitMs, 10_000),
    storeTimeoutMs: positive("storeTimeoutMs", options.storeTimeoutMs, 1000),
    maxDirectoryBytes: positive("maxDirectoryBytes", options.maxDirectoryBytes, 1_073_741_824),
    maxAgents: positive("maxAgents", options.maxAgents, 1_000_000)
  }
}
