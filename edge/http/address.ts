/**
 * Who a client is, as far as its address tells: from the socket, or from `X-Forwarded-For` where the configuration
 * says how many proxies in front may be believed (contract 15). IPv6 clients count as their /64, since one customer
 * has all of it; IPv4 written as IPv6 counts as IPv4. The address itself leaves this file only as a keyed hash.
 */
import { createHmac } from "node:crypto"
import type { IncomingMessage } from "node:http"
import ipaddr from "ipaddr.js"
import { GenerationCache } from "./generation-cache.ts"

const CLIENTS_MAX = 20_000
const HASH_CHARS = 16
const UNKNOWN = "unknown"

/** Hash of a client's network: 16 hex characters. */
export type ClientHash = string

export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return UNKNOWN
  const parsed = ipaddr.process(address)
  if (parsed.kind() === "ipv4") return parsed.toString()
  return `${Buffer.from(parsed.toByteArray().slice(0, 8)).toString("hex")}/64`
}

/** The entry that the outermost believed proxy wrote; the socket's own address when the header is too short or no address. */
export const forwardedAddress = (header: string | undefined, socket: string, trustProxy: number): string => {
  if (trustProxy === 0 || header === undefined) return socket
  const hops = header.split(",")
  const hop = (hops[Math.max(0, hops.length - trustProxy)] ?? "").trim()
  return ipaddr.isValid(hop) ? hop : socket
}

export class Clients {
  private readonly known = new GenerationCache<string, ClientHash>(CLIENTS_MAX)
  private readonly key: Uint8Array
  private readonly trustProxy: number

  constructor(key: Uint8Array, trustProxy: number) {
    this.key = key
    this.trustProxy = trustProxy
  }

  of(request: IncomingMessage): ClientHash {
    const socket = request.socket.remoteAddress ?? ""
    const forwarded = this.trustProxy === 0 ? undefined : request.headers["x-forwarded-for"]
    const address = forwardedAddress(Array.isArray(forwarded) ? forwarded.join(",") : forwarded, socket, this.trustProxy)
    const known = this.known.get(address)
    if (known !== undefined) return known
    const hash = createHmac("sha256", this.key).update(networkOf(address)).digest("hex").slice(0, HASH_CHARS)
    this.known.set(address, hash)
    return hash
  }
}
