/**
 * Which network an address belongs to, for everything that counts clients by address. An IPv6 client counts as its /64,
 * since one customer has all of it. The /48 around it has 65,536 of those and has bounds of its own (contract 21, 22).
 * IPv4 written as IPv6 counts as IPv4.
 */
import ipaddr from "ipaddr.js"

const UNKNOWN = "unknown"

const CLIENT_BYTES = 8
const WIDE_BYTES = 6

const prefixOf = (address: ReadonlyArray<number>, bytes: number): string =>
  `${Buffer.from(address.slice(0, bytes)).toString("hex")}/${bytes * 8}`

/** `wide`: the IPv6 /48; `null` where there is none. */
export const networkOf = (address: string): { readonly client: string; readonly wide: string | null } => {
  if (!ipaddr.isValid(address)) return { client: UNKNOWN, wide: null }
  const parsed = ipaddr.process(address)
  if (parsed.kind() === "ipv4") return { client: parsed.toString(), wide: null }
  const bytes = parsed.toByteArray()
  return { client: prefixOf(bytes, CLIENT_BYTES), wide: prefixOf(bytes, WIDE_BYTES) }
}
