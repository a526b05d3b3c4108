/**
 * The firewall of compartments, as text for `nft -f -`. It replaces our whole table in one transaction, so that no
 * packet ever meets half of it.
 *
 * Invariants
 *  - The rules apply only to packets from or to devices whose names begin like our bridges, and to our own addresses.
 *    No other packet on the host is affected.
 *  - An accept here ends only our own chain, so it opens nothing that the host's firewall closes. A drop is final.
 *  - A compartment sends only IPv4, only from its own address, and only to public addresses. On the host it reaches
 *    only the resolver and, if there is one, the forward to the service. Nobody can open a connection to it.
 *  - A compartment sends no mail by itself (port 25). From an address that the service sends mail from, too, its mail
 *    would pass as that of any agent (SPF).
 *  - Each reason to refuse a packet has its own chain with two counters. One counts the probe's packets (check.ts), so
 *    it proves which rule has refused an attempt.
 *  - One compartment cannot use up shared resources: its sending rate, tracked connections, DNS queries and TCP
 *    connections to the resolver are limited.
 */
import { PLATFORM_ADDRESSES } from "../../../schemas/platform-addresses.ts"
import type { Addresses } from "./subnet.ts"
import type { Names } from "./tag.ts"

export const RESOLVER_PORT = 10053
/** Connections that one compartment may have at a time, because all share the kernel's table. */
const CONNECTIONS_MAX = 1024
/** TCP connections to the resolver that one compartment may have at a time. dnsmasq serves 20 in all. */
const RESOLVER_TCP_MAX = 4
/**
 * The resolver holds a question without an answer for ten seconds. One compartment thus holds at most 300 of its 4000
 * places (resolver.ts).
 */
const QUESTIONS_PER_SECOND = 20
const QUESTIONS_BURST = 100
export const SMTP_PORT = 25
const BYTES_PER_KBIT = 125
/**
 * The burst on top of the bytes of one second, which nft's bucket holds anyway. It must cover the bytes under way to
 * distant servers and back, or TCP stays below its rate.
 */
const PACE_BURST_KBYTES = 512
const SET_SIZE = 256

/** Prefixes that are no public addresses. Everything from 224.0.0.0 on is multicast, reserved or broadcast. */
export const PRIVATE = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  ...PLATFORM_ADDRESSES,
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "224.0.0.0/3"
] as const

/** The reasons to refuse a packet. Each is a chain and two counters. */
export const REASONS = [
  "ipv6",
  "spoofed",
  "protocol",
  "pace",
  "neighbour",
  "private",
  "mail",
  "host",
  "inbound",
  "outsider",
  "crowd"
] as const
export type Reason = (typeof REASONS)[number]

/** Sets whose elements change with the traffic. */
export const LIVE_SETS: ReadonlyArray<string> = ["connections", "lookups", "pace", "questions"]

export const counterOf = (reason: Reason, probe: boolean): string => (probe ? `probe_${reason}` : `no_${reason}`)

export interface RuleSettings {
  readonly names: Names
  readonly addresses: Addresses
  readonly max: number
  readonly egressKbit: number
  readonly servicePort: number | null
  readonly masquerade: boolean
}

/** Counts the probe's packets separately, by the device that they come from or go to. */
const reasonText = ({ names: { probe } }: RuleSettings, reason: Reason): string => `
  counter ${counterOf(reason, true)} {}
  counter ${counterOf(reason, false)} {}
  chain refuse_${reason} {
    ${reason === "inbound" ? "oifname" : "iifname"} "${probe.bridge}" counter name "${counterOf(reason, true)}"
    counter name "${counterOf(reason, false)}" drop
  }`

const setsText = (): string => `
  set private { type ipv4_addr; flags interval; elements = { ${PRIVATE.join(", ")} }; }
  set connections { type ipv4_addr; size ${SET_SIZE}; flags dynamic; }
  set pace { type ipv4_addr; size ${SET_SIZE}; flags dynamic; }
  set lookups { type ipv4_addr; size ${SET_SIZE}; flags dynamic; }
  set questions { type ipv4_addr; size ${SET_SIZE}; flags dynamic; }`

/**
 * Before the kernel tracks connections: drops packets that are not IPv4, do not come from their slot's address, have
 * another protocol than ICMP, TCP or UDP, or are too many.
 */
function arriveText({ names, addresses, max, egressKbit }: RuleSettings): string {
  const slots = Array.from({ length: max }, (_, slot) => [names.bridge(slot), addresses.slot(slot).address] as const)
  const own = [...slots, [names.probe.bridge, addresses.probe.address] as const]
  return `
  set own { type ifname . ipv4_addr; elements = { ${own.map(([bridge, address]) => `"${bridge}" . ${address}`).join(", ")} }; }
  chain arrive {
    type filter hook prerouting priority raw; policy accept;
    iifname != "${names.bridges}" accept
    meta nfproto != ipv4 goto refuse_ipv6
    iifname . ip saddr != @own goto refuse_spoofed
    meta l4proto != { icmp, tcp, udp } goto refuse_protocol
    add @pace { ip saddr limit rate over ${egressKbit * BYTES_PER_KBIT} bytes/second burst ${PACE_BURST_KBYTES} kbytes } goto refuse_pace
  }`
}

/** Redirects DNS queries to our name server, whichever one a compartment asks. */
const resolverText = ({ names, addresses }: RuleSettings): string => `
  chain resolver {
    type nat hook prerouting priority dstnat - 10; policy accept;
    iifname "${names.bridges}" udp dport 53 dnat ip to ${addresses.service}:${RESOLVER_PORT}
    iifname "${names.bridges}" tcp dport 53 dnat ip to ${addresses.service}:${RESOLVER_PORT}
  }`

const inputText = ({ names, addresses: { service }, servicePort }: RuleSettings): string => `
  chain input {
    type filter hook input priority filter - 10; policy accept;
    iifname != { "${names.bridges}", "lo" } ip daddr ${service} goto refuse_outsider
    iifname != "${names.bridges}" accept
    ct state new add @connections { ip saddr ct count over ${CONNECTIONS_MAX} } goto refuse_crowd
    ip daddr ${service} udp dport ${RESOLVER_PORT} add @questions { ip saddr limit rate over ${QUESTIONS_PER_SECOND}/second burst ${QUESTIONS_BURST} packets } goto refuse_crowd
    ip daddr ${service} udp dport ${RESOLVER_PORT} accept
    ip daddr ${service} tcp dport ${RESOLVER_PORT} ct state new add @lookups { ip saddr ct count over ${RESOLVER_TCP_MAX} } goto refuse_crowd
    ip daddr ${service} tcp dport ${RESOLVER_PORT} accept${
      servicePort === null ? "" : `\n    ip daddr ${service} tcp dport ${servicePort} accept`
    }
    goto refuse_host
  }`

/** Filters packets that are forwarded from or to compartments, and packets of the host to compartments. */
const onwardText = ({ names }: RuleSettings): string => `
  chain towards {
    ct state established ct direction reply accept
    ct state related meta l4proto icmp accept
    goto refuse_inbound
  }
  chain forward {
    type filter hook forward priority filter - 10; policy accept;
    iifname "${names.bridges}" oifname "${names.bridges}" goto refuse_neighbour
    oifname "${names.bridges}" meta nfproto != ipv4 goto refuse_ipv6
    oifname "${names.bridges}" goto towards
    iifname != "${names.bridges}" accept
    ip daddr @private goto refuse_private
    tcp dport ${SMTP_PORT} goto refuse_mail
    ct state new add @connections { ip saddr ct count over ${CONNECTIONS_MAX} } goto refuse_crowd
  }
  chain output {
    type filter hook output priority filter - 10; policy accept;
    oifname != "${names.bridges}" accept
    meta nfproto != ipv4 goto refuse_ipv6
    goto towards
  }`

/**
 * Replaces source addresses where the engine does not: it does so only for its own networks, and the probe's is not one
 * of them.
 */
const leaveText = ({ names, addresses: { slots, probe }, masquerade }: RuleSettings): string => `
  chain leave {
    type nat hook postrouting priority srcnat; policy accept;
    oifname != "${names.bridges}" ip saddr { ${masquerade ? `${slots}, ` : ""}${probe.subnet} } masquerade
  }`

/** The same text creates the table, replaces it, and repairs it. */
export const rulesText = (settings: RuleSettings): string => {
  const { table } = settings.names
  return `table inet ${table} {}
delete table inet ${table}
table inet ${table} {${setsText()}${REASONS.map((reason) => reasonText(settings, reason)).join("")}${arriveText(settings)}${resolverText(settings)}${inputText(settings)}${onwardText(settings)}${leaveText(settings)}
}
`
}
