/**
 * Tests the rules with real packets, sent from where a compartment would send them. An attempt that must fail has
 * failed if no answer comes back and the refusing rule has counted it. One that must succeed has succeeded if an answer
 * comes back. Only counters of the probe's own packets are read, so that traffic of compartments proves nothing.
 *
 * No packet leaves the machine. Allowed packets go to the namespace in place of the internet (links.ts), and forbidden
 * ones are refused before they are forwarded.
 */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { type Devices, INNER } from "./links.ts"
import { type Attempt, type Outcome, tryTcp } from "./probe-program.ts"
import { run } from "./programs.ts"
import { PROBE_NAME } from "./resolver.ts"
import { counterOf, type Reason, type RuleSettings, SMTP_PORT } from "./rules.ts"
import { type Counters, readCounters } from "./table.ts"

const PROGRAM = fileURLToPath(new URL("./probe-program.ts", import.meta.url))
/** The "discard" port. Nothing listens there, so a kernel that is reached refuses immediately. */
const PORT = 9
/** The time for which the probe waits for an answer that must not come. */
const SILENCE_MS = 300
const ANSWER_MS = 5000
const HOST_ADDRESSES_MAX = 8
const PRIVATE_TARGETS = ["169.254.169.254", "168.63.129.16", "100.64.0.1", "172.16.0.1", "192.168.0.1"]
/**
 * The multicast address of all nodes of the link. A packet to it is sent immediately. For a single address, the kernel
 * would first look for the neighbor.
 */
const IPV6_TARGET = `ff02::1%${INNER}`

interface Try {
  readonly attempt: Attempt
  /** Names the attempt in the text of a problem. */
  readonly what: string
  /** The rules that may refuse the attempt. If there are none, it has to succeed. */
  readonly refusedBy: ReadonlyArray<Reason>
}

const refused = (to: string, what: string, refusedBy: ReadonlyArray<Reason>, from?: string): Try => ({
  attempt: { by: "tcp", to, port: PORT, waitMs: SILENCE_MS, ...(from === undefined ? {} : { from }) },
  what: `${what} ${to}`,
  refusedBy
})

function triesOf({ addresses, names, max, servicePort }: RuleSettings, host: Devices): ReadonlyArray<Try> {
  const { probe, outside, beyond, foreign, service } = addresses
  const ofHost = [probe.gateway, service, ...host.addresses().slice(0, HOST_ADDRESSES_MAX)]
  const wayOut = outside.address
  // Skips slots without a bridge, because no compartment is behind them.
  const neighbour = Array.from({ length: max }, (_, index) => index)
    .filter((index) => host.isGateway(names.bridge(index), addresses.slot(index).gateway))
    .map((index) => addresses.slot(index).address)
    .slice(0, 1)
  return [
    ...ofHost.map((to) => refused(to, "an address of the host", ["host", "private"])),
    ...[beyond.address, ...PRIVATE_TARGETS].map((to) => refused(to, "a private address", ["private", "host"])),
    ...neighbour.map((to) => refused(to, "another compartment", ["neighbour"])),
    refused(wayOut, "from an address that is not its own,", ["spoofed"], foreign),
    {
      attempt: { by: "tcp", to: wayOut, port: SMTP_PORT, waitMs: SILENCE_MS },
      what: `port ${SMTP_PORT} of ${wayOut}`,
      refusedBy: ["mail"]
    },
    { attempt: { by: "udp6", to: IPV6_TARGET, port: PORT, waitMs: SILENCE_MS }, what: "IPv6", refusedBy: ["ipv6"] },
    { attempt: { by: "tcp", to: wayOut, port: PORT, waitMs: ANSWER_MS }, what: "the way out", refusedBy: [] },
    { attempt: { by: "dns", to: wayOut, name: PROBE_NAME, waitMs: ANSWER_MS }, what: "the resolver", refusedBy: [] },
    ...(servicePort === null
      ? []
      : [
          {
            attempt: { by: "tcp", to: service, port: servicePort, waitMs: ANSWER_MS } as const,
            what: "the forward to the service",
            refusedBy: []
          }
        ])
  ]
}

/** True if a device has IPv6. Without it, such packets are lost before any rule sees them. */
async function hasIpv6(device: string): Promise<boolean> {
  const text = await readFile(`/proc/sys/net/ipv6/conf/${device}/disable_ipv6`, "utf8").catch(() => "1")
  return text.trim() === "0"
}

export interface Probed {
  /** Probes that should have been refused and were not. */
  readonly open: ReadonlyArray<string>
  /** Probes that should have succeeded and have not. */
  readonly closed: ReadonlyArray<string>
}

const succeeded = ({ attempt }: Try, outcome: Outcome, service: string): boolean => {
  if (attempt.by === "dns") return outcome === `address ${service}`
  return attempt.port === PORT ? outcome === "refused" : outcome === "open"
}

/** Attempts that were sent but not counted. The rules that may refuse them must together count at least as many. */
function uncounted(tries: ReadonlyArray<Try>, before: Counters, after: Counters): ReadonlyArray<string> {
  const groups = Map.groupBy(tries, ({ refusedBy }) => refusedBy.toSorted().join(" or "))
  return [...groups].flatMap(([reasons, all]) => {
    const names = (all[0]?.refusedBy ?? []).map((reason) => counterOf(reason, true))
    const counted = names.reduce((sum, name) => sum + (after.get(name) ?? 0) - (before.get(name) ?? 0), 0)
    return counted >= all.length ? [] : [`${counted} of ${all.length} attempts were counted as refused (${reasons})`]
  })
}

async function runProgram(namespace: string, attempts: ReadonlyArray<Attempt>): Promise<ReadonlyArray<Outcome>> {
  const args = ["netns", "exec", namespace, process.execPath, PROGRAM, JSON.stringify(attempts)]
  return JSON.parse(await run("ip", args)) as ReadonlyArray<Outcome>
}

/** An attempt from the host to the probe, as if to a compartment. */
const INBOUND_WHAT = "a connection to a compartment"

export async function probe(settings: RuleSettings, host: Devices): Promise<Probed> {
  const { names, addresses } = settings
  const [ipv6, before] = await Promise.all([hasIpv6(names.probe.bridge), readCounters(names.table)])
  const tries = triesOf(settings, host).filter(({ attempt }) => ipv6 || attempt.by !== "udp6")
  const inbound = refused(addresses.probe.address, INBOUND_WHAT, ["inbound"])
  const [outcomes, came] = await Promise.all([
    runProgram(
      names.probe.namespace,
      tries.map(({ attempt }) => attempt)
    ),
    tryTcp({ by: "tcp", to: addresses.probe.address, port: PORT, waitMs: SILENCE_MS })
  ])
  const after = await readCounters(names.table)
  const all = [
    ...tries.map((one, index) => ({ one, outcome: outcomes[index] ?? "silent" })),
    { one: inbound, outcome: came }
  ]
  const barred = all.filter(({ one }) => one.refusedBy.length > 0)
  const reached = barred.filter(({ outcome }) => outcome === "open" || outcome === "refused")
  const sent = barred.filter(({ outcome }) => outcome !== "unreachable").map(({ one }) => one)
  const lost = all.filter(
    ({ one, outcome }) => one.refusedBy.length === 0 && !succeeded(one, outcome, addresses.service)
  )
  return {
    open: [...reached.map(({ one }) => `${one.what} is reached`), ...uncounted(sent, before, after)],
    closed: lost.map(({ one, outcome }) => `${one.what}: ${outcome}`)
  }
}
