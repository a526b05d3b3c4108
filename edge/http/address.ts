/**
 * Identifies a client by its address, from the socket or from `X-Forwarded-For`. The configuration says how many
 * proxies in front of the edge are trusted (contract 15). Clients are networks (schemas/network.ts). `Clients` gives
 * out an address only as a keyed hash.
 */
import { createHmac } from "node:crypto"
import type { IncomingMessage } from "node:http"
import ipaddr from "ipaddr.js"
import { probing } from "../../schemas/probes.ts"
import { networkOf } from "../../schemas/network.ts"
import { GenerationCache } from "./generation-cache.ts"

const CLIENTS_MAX = 20_000
const HASH_CHARS = 16

/** Hash of a network: 16 hex characters. */
export type ClientHash = string

/** The origin of a request: its client, and the IPv6 /48 around that; `null` for IPv4. */
export interface Network {
  readonly client: ClientHash
  readonly wide: ClientHash | null
}

/**
 * Returns the entry that the outermost trusted proxy wrote. If the header has fewer entries than there are trusted
 * proxies, its first entry counts. If the entry is not an address, returns the socket's address.
 */
export const forwardedAddress = (header: string | undefined, socket: string, trustProxy: number): string => {
  if (trustProxy === 0 || header === undefined) return socket
  const hops = header.split(",")
  return bareAddress((hops[Math.max(0, hops.length - trustProxy)] ?? "").trim()) ?? socket
}

const { IPv4, IPv6 } = ipaddr
const HOST_AND_PORT = /^(?:\[([0-9a-f:.]{2,45})\](?::\d{1,5})?|([0-9.]{7,15}):\d{1,5})$/i

/**
 * Removes the client's port, which some proxies add: `192.0.2.7:5443`, `[2001:db8::1]:443`. `null` if it is no address.
 */
const bareAddress = (hop: string): string | null => {
  if (IPv4.isValidFourPartDecimal(hop) || IPv6.isValid(hop)) return hop
  const [, v6 = "", v4 = ""] = HOST_AND_PORT.exec(hop) ?? []
  if (IPv6.isValid(v6)) return v6
  return IPv4.isValidFourPartDecimal(v4) ? v4 : null
}

export class Clients {
  private readonly known = new GenerationCache<string, Network>(CLIENTS_MAX)
  private readonly key: Uint8Array
  /** True if the socket's address is the client's own and not a proxy's. */
  readonly direct: boolean
  private readonly trustProxy: number
  private readonly isProbe: (address: string) => boolean

  /** `probes` are the networks of health checks. */
  constructor(key: Uint8Array, trustProxy: number, probes: ReadonlyArray<string>) {
    this.isProbe = probing(probes)
    this.key = key
    this.trustProxy = trustProxy
    this.direct = trustProxy === 0
  }

  of(request: IncomingMessage): Network {
    return this.at(this.addressOf(request))
  }

  probes(request: IncomingMessage): boolean {
    return this.isProbe(this.addressOf(request))
  }

  at(address: string): Network {
    const known = this.known.get(address)
    if (known !== undefined) return known
    const { client, wide } = networkOf(address)
    const network = { client: this.hashOf(client), wide: wide === null ? null : this.hashOf(wide) }
    this.known.set(address, network)
    return network
  }

  private addressOf(request: IncomingMessage): string {
    const socket = request.socket.remoteAddress ?? ""
    const forwarded = this.direct ? undefined : request.headers["x-forwarded-for"]
    return forwardedAddress(Array.isArray(forwarded) ? forwarded.join(",") : forwarded, socket, this.trustProxy)
  }

  private hashOf(text: string): ClientHash {
    return createHmac("sha256", this.key).update(text).digest("hex").slice(0, HASH_CHARS)
  }
}
