/** Reads a compartment host's settings from the environment (contract 16). */
import { VERSION } from "../version.ts"
import { RUNTIME_LIMITS } from "./limits.ts"

export interface RuntimeSettings {
  /** The number of compartments that the host has room for. */
  readonly max: number
  /** Tag of the image that compartments are made of. */
  readonly image: string
  /** Path of the container engine's socket. `null` to search for it (ops/runtime/). */
  readonly socket: string | null
  /** Name servers that the compartments' resolver asks, as `ip:port`. If empty, the machine's own are used. */
  readonly dnsServers: ReadonlyArray<string>
}

export type RuntimeSettingsResult =
  | { readonly ok: true; readonly settings: RuntimeSettings }
  | { readonly ok: false; readonly problem: string }

/**
 * The most compartments that a host may be configured for. Each needs a bridge and a network, and has a place in a /24
 * of its host.
 */
const MAX_HIGHEST = 64
const IMAGE = /^[a-z0-9][a-z0-9._/-]{0,127}(:[A-Za-z0-9._-]{1,127})?$/
const DNS_SERVER = /^(\d{1,3}\.){3}\d{1,3}:\d{1,5}$/
const DNS_SERVERS_MAX = 8

export const DEFAULT_IMAGE = `hub-compartment:${VERSION}`

/** `isHost` is true for a compartment host. Its resolver accepts fewer forms of name servers. */
export const readRuntimeSettings = (
  env: Readonly<Record<string, string | undefined>>,
  isHost: boolean
): RuntimeSettingsResult => {
  const given = (name: string): string | null => env[name]?.trim() || null
  const most = given("HUB_RUNTIME_MAX") ?? String(RUNTIME_LIMITS.compartments_max)
  const max = /^\d{1,3}$/.test(most) ? Number(most) : 0
  if (max < 1 || max > MAX_HIGHEST) return problem(`HUB_RUNTIME_MAX must be a whole number from 1 to ${MAX_HIGHEST}`)
  const image = given("HUB_RUNTIME_IMAGE") ?? DEFAULT_IMAGE
  if (!IMAGE.test(image)) return problem("HUB_RUNTIME_IMAGE must be the tag of an image, such as name:version")
  const socket = given("HUB_DOCKER_SOCKET")
  if (socket !== null && !socket.startsWith("/")) return problem("HUB_DOCKER_SOCKET must be the path of a socket")
  const dnsServers = (given("HUB_DNS_SERVERS") ?? "")
    .split(",")
    .flatMap((one) => (one.trim() === "" ? [] : [one.trim()]))
  if (!isHost) return { ok: true, settings: { max, image, socket, dnsServers: [] } }
  if (dnsServers.length > DNS_SERVERS_MAX || !dnsServers.every((one) => DNS_SERVER.test(one)))
    return problem(
      `HUB_DNS_SERVERS must be at most ${DNS_SERVERS_MAX} addresses such as 192.0.2.1:53, with commas between`
    )
  return { ok: true, settings: { max, image, socket, dnsServers } }
}

const problem = (text: string): RuntimeSettingsResult => ({ ok: false, problem: text })
