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

/** An address, or a network around it, as an operator writes it. */
export interface AddressRange {
  readonly kind: "ipv4" | "ipv6"
  /** Length of its prefix. */
  readonly bits: number
  readonly holds: (address: string) => boolean
}

const BITS = { ipv4: 32, ipv6: 128 } as const

/** Reads `192.0.2.7` or `10.1.0.0/16`; `null` for anything else. */
export const rangeOf = (text: string): AddressRange | null => {
  // The parser takes shorter forms of IPv4 for addresses too.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text) && !ipaddr.isValidCIDR(text)) return null
  const alone = text.includes("/") ? null : ipaddr.process(text)
  const range = alone === null ? ipaddr.parseCIDR(text) : ([alone, BITS[alone.kind()]] as const)
  const kind = range[0].kind()
  const holds = (address: string): boolean => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return parsed.kind() === kind && parsed.match(range[0], range[1])
  }
  return { kind, bits: range[1], holds }
}
