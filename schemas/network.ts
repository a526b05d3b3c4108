/**
 * The network of an address, for limits that count clients by address. An IPv6 client counts as its /64, because one
 * customer has all of it. The /48 around it contains 65,536 networks of that size and has its own limits (contract 21,
 * 22). An IPv4 client counts by its address, even if a translator or tunnel writes it as IPv6.
 */
import ipaddr from "ipaddr.js"

const UNKNOWN = "unknown"

const CLIENT_BYTES = 8
const WIDE_BYTES = 6

const prefixOf = (address: ReadonlyArray<number>, bytes: number): string =>
  `${Buffer.from(address.slice(0, bytes)).toString("hex")}/${bytes * 8}`

/** IPv6 networks whose addresses end with an IPv4 address. Teredo inverts its bits (RFC 4380). */
const EMBEDDING = [
  // NAT64 (RFC 6052), NAT64 with a local prefix (RFC 8215), SIIT (RFC 2765).
  { network: ipaddr.IPv6.parseCIDR("64:ff9b::/96"), mask: 0 },
  { network: ipaddr.IPv6.parseCIDR("64:ff9b:1::/48"), mask: 0 },
  { network: ipaddr.IPv6.parseCIDR("::ffff:0:0:0/96"), mask: 0 },
  { network: ipaddr.IPv6.parseCIDR("2001::/32"), mask: 0xff }
] as const

const IPV4_AT = 12

/** The IPv4 address inside an address of `EMBEDDING`. Other addresses are returned unchanged. */
const embedded = (address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 => {
  if (address.kind() === "ipv4") return address
  const found = EMBEDDING.find(({ network }) => address.match(network[0], network[1]))
  if (found === undefined) return address
  return new ipaddr.IPv4(
    address
      .toByteArray()
      .slice(IPV4_AT)
      .map((byte) => byte ^ found.mask)
  )
}

const unmapped = (address: string): ipaddr.IPv4 | ipaddr.IPv6 => embedded(ipaddr.process(address))

/** `client` is the network that limits count as one client. `wide` is the /48 around it; `null` for IPv4. */
export const networkOf = (address: string): { readonly client: string; readonly wide: string | null } => {
  if (!ipaddr.isValid(address)) return { client: UNKNOWN, wide: null }
  const parsed = unmapped(address)
  if (parsed.kind() === "ipv4") return { client: parsed.toString(), wide: null }
  const bytes = parsed.toByteArray()
  return { client: prefixOf(bytes, CLIENT_BYTES), wide: prefixOf(bytes, WIDE_BYTES) }
}

/** Bytes of the prefixes that one provider, one site and one client have. */
const NESTED_BYTES = { ipv4: [2, 3, 4], ipv6: [4, WIDE_BYTES, CLIENT_BYTES] } as const

/** The networks around a client, the widest first: /16, /24 and the address, or the /32, /48 and /64 of IPv6. */
export const networksOf = (address: string): readonly [string, string, string] => {
  if (!ipaddr.isValid(address)) return [UNKNOWN, UNKNOWN, UNKNOWN]
  const parsed = unmapped(address)
  const [provider, site, client] = NESTED_BYTES[parsed.kind()]
  const bytes = parsed.toByteArray()
  const kind = parsed.kind()
  return [
    `${kind} ${prefixOf(bytes, provider)}`,
    `${kind} ${prefixOf(bytes, site)}`,
    `${kind} ${prefixOf(bytes, client)}`
  ]
}

/** An address, or a network around it, as an operator writes it. */
export interface AddressRange {
  readonly kind: "ipv4" | "ipv6"
  /** The length of the prefix. */
  readonly bits: number
  readonly holds: (address: string) => boolean
}

const BITS = { ipv4: 32, ipv6: 128 } as const

/** Parses `192.0.2.7` or `10.1.0.0/16`; `null` for anything else. */
export const rangeOf = (text: string): AddressRange | null => {
  // The parser also accepts shorter forms of IPv4 as addresses.
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
