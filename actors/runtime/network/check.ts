/**
 * Checks the network of compartments by the kernel's state and by real packets, never by the requested settings.
 * `firewall`: forbidden connections fail. `egress`: allowed ones work, at the allowed rate. Neither contacts the
 * internet, because a machine without it is no fault.
 */
import { readFile } from "node:fs/promises"
import { checkDockerUser } from "./docker-user.ts"
import { checkLinks, Devices } from "./links.ts"
import { probe, type Probed } from "./probe.ts"
import { resolverPid, type ResolverSettings } from "./resolver.ts"
import type { RuleSettings } from "./rules.ts"
import { unshaped } from "./shaping.ts"
import { checkTable } from "./table.ts"

export interface Checked {
  readonly firewall: boolean
  readonly egress: boolean
  readonly problems: ReadonlyArray<string>
}

export interface CheckSettings {
  readonly rules: RuleSettings
  readonly resolver: ResolverSettings
  readonly slots: ReadonlyArray<{ readonly bridge: string; readonly gateway: string }>
}

const FORWARDING = "/proc/sys/net/ipv4/ip_forward"

export async function isForwarding(): Promise<boolean> {
  return (await readFile(FORWARDING, "utf8")).trim() === "1"
}

function slotProblems({ slots }: CheckSettings, host: Devices): ReadonlyArray<string> {
  return slots
    .filter(({ bridge, gateway }) => !host.isGateway(bridge, gateway))
    .map(({ bridge, gateway }) => `${bridge} is no bridge with ${gateway}`)
}

async function shapeProblems({ slots, rules: { egressKbit } }: CheckSettings): Promise<ReadonlyArray<string>> {
  const bridges = slots.map(({ bridge }) => bridge)
  const lacking = await unshaped(bridges, egressKbit)
  return lacking.map((bridge) => `the pace of ${bridge} is not bounded to ${egressKbit} kbit/s`)
}

async function egressProblems(settings: CheckSettings, host: Devices): Promise<ReadonlyArray<string>> {
  const [shapes, dockerUser, forwarding, resolver] = await Promise.all([
    shapeProblems(settings),
    checkDockerUser(settings.rules.names),
    isForwarding(),
    resolverPid(settings.resolver)
  ])
  return [
    ...slotProblems(settings, host),
    ...shapes,
    ...dockerUser,
    ...(forwarding ? [] : ["the host forwards no packets (net.ipv4.ip_forward)"]),
    ...(resolver === undefined ? ["the resolver does not run"] : [])
  ]
}

/** Addresses of the host come and go. If they changed during a try that found a problem, the try is repeated once. */
async function probeSettled(rules: RuleSettings, host: Devices): Promise<Probed> {
  const probed = await probe(rules, host)
  if (probed.open.length + probed.closed.length === 0) return probed
  const now = await Devices.read()
  return now.addresses().join() === host.addresses().join() ? probed : probe(rules, now)
}

export async function check(settings: CheckSettings): Promise<Checked> {
  const host = await Devices.read()
  const [links, egress] = await Promise.all([checkLinks(settings.rules, host), egressProblems(settings, host)])
  // If a device or a namespace is wrong, no packet can be sent as a test.
  if (links.length > 0) return { firewall: false, egress: false, problems: [...links, ...egress] }
  const [table, { open, closed }] = await Promise.all([checkTable(settings.rules), probeSettled(settings.rules, host)])
  return {
    firewall: table.length + open.length === 0,
    egress: egress.length + closed.length === 0,
    problems: [...table, ...open, ...egress, ...closed]
  }
}
