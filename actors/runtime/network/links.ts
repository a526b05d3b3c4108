/**
 * Makes the network devices besides the bridges of slots: one with the address of resolver and forward, and two network
 * namespaces for testing the rules. `probe` is in the place of a compartment, on a bridge whose name matches the same
 * rules as a slot's bridge. `outside` is in the place of the internet. Nothing listens there, but its kernel refuses
 * connections, and a refusal that comes back proves that packets pass in both directions.
 *
 * Each part is checked, and made again as a whole if anything in it is wrong. Bridges without ports are used instead of
 * dummy devices, which not every kernel has.
 */
import { NetworkFault, run, runAny, runJson } from "./programs.ts"
import type { Addresses } from "./subnet.ts"
import { isOurs, type Names } from "./tag.ts"

export interface LinkSettings {
  readonly names: Names
  readonly addresses: Addresses
}

/** The name of the device in every namespace. */
export const INNER = "eth0"
const PROBE_IPV6 = "fd6b:6875:6200::2/64"
const MTU_DEFAULT = 1500
/** The smallest MTU of IPv4, below the MTU of any real device. */
const MTU_MIN = 576

interface Device {
  readonly ifname: string
  readonly mtu: number
  readonly master?: string
  readonly flags: ReadonlyArray<string>
  readonly linkinfo?: { readonly info_kind?: string }
  readonly addr_info?: ReadonlyArray<{ readonly local?: string; readonly prefixlen?: number }>
}

export class Devices {
  readonly #all: ReadonlyMap<string, Device>
  private constructor(all: ReadonlyArray<Device>) {
    this.#all = new Map(all.map((device) => [device.ifname, device]))
  }
  /** The devices of the host, or of a namespace; none if there is no such namespace. */
  static async read(namespace?: string): Promise<Devices> {
    const where = namespace === undefined ? [] : ["-n", namespace]
    const { code, stdout } = await runAny("ip", [...where, "-d", "-j", "addr", "show"])
    if (code !== 0 && namespace === undefined) throw new NetworkFault("ip does not tell the host's devices")
    return new Devices(code === 0 ? (JSON.parse(stdout) as ReadonlyArray<Device>).filter(({ ifname }) => ifname) : [])
  }
  get(name: string): Device | undefined {
    return this.#all.get(name)
  }
  names(): ReadonlyArray<string> {
    return [...this.#all.keys()]
  }
  hasPorts(bridge: string): boolean {
    return [...this.#all.values()].some(({ master }) => master === bridge)
  }
  isUp(name: string): boolean {
    return this.get(name)?.flags.includes("UP") ?? false
  }
  has(name: string, prefix: string): boolean {
    return this.get(name)?.addr_info?.some((one) => `${one.local}/${one.prefixlen}` === prefix) ?? false
  }
  isBridge(name: string): boolean {
    return this.get(name)?.linkinfo?.info_kind === "bridge"
  }
  /** True if a slot's bridge exists and has the right settings. */
  isGateway(bridge: string, gateway: string): boolean {
    return this.isBridge(bridge) && this.isUp(bridge) && this.has(bridge, `${gateway}/30`)
  }
  /** The host's IPv4 addresses without those of deployments, because each deployment's own rules guard those. */
  addresses(): ReadonlyArray<string> {
    return [...this.#all.values()]
      .filter(({ ifname }) => ifname !== "lo" && !isOurs(ifname))
      .flatMap(({ addr_info: all = [] }) => all.flatMap(({ local }) => (local?.includes(":") === false ? [local] : [])))
  }
}

const wide = (address: string, bits: number): string => `${address}/${bits}`

interface Part {
  readonly name: string
  readonly stands: (host: Devices) => Promise<boolean>
  readonly remove: () => Promise<void>
  readonly make: () => Promise<void>
}

/** Runs lines with `ip -batch`. A failure names its line. */
const batch = (lines: ReadonlyArray<string>, ...options: ReadonlyArray<string>): Promise<string> =>
  run("ip", [...options, "-batch", "-"], `${lines.join("\n")}\n`)

export async function removeDevice(name: string): Promise<void> {
  await runAny("ip", ["link", "delete", name])
}
export async function removeNamespace(name: string): Promise<void> {
  await runAny("ip", ["netns", "delete", name])
}

const servicePart = ({ names: { service }, addresses }: LinkSettings): Part => ({
  name: "the device of resolver and forward",
  stands: async (host) =>
    host.isBridge(service) && host.isUp(service) && host.has(service, wide(addresses.service, 32)),
  remove: () => removeDevice(service),
  make: async () => {
    await batch([
      `link add ${service} type bridge`,
      `addr add ${addresses.service}/32 dev ${service}`,
      `link set ${service} up`
    ])
  }
})

/** Gives the namespace an IPv6 address. This fails silently on a host without IPv6, where there is nothing to test. */
async function giveIpv6(namespace: string): Promise<void> {
  await runAny("ip", ["-n", namespace, "addr", "add", PROBE_IPV6, "dev", INNER, "nodad"])
}

const probePart = ({ names: { probe }, addresses }: LinkSettings): Part => ({
  name: "the probe",
  stands: async (host) => {
    const inside = await Devices.read(probe.namespace)
    return (
      host.isGateway(probe.bridge, addresses.probe.gateway) &&
      host.isUp(probe.device) &&
      host.get(probe.device)?.master === probe.bridge &&
      inside.isUp(INNER) &&
      inside.has(INNER, wide(addresses.probe.address, 30)) &&
      inside.has("lo", wide(addresses.foreign, 32))
    )
  },
  remove: async () => {
    await removeDevice(probe.device)
    await removeDevice(probe.bridge)
    await removeNamespace(probe.namespace)
  },
  make: async () => {
    await run("ip", ["netns", "add", probe.namespace])
    await batch([
      `link add ${probe.bridge} type bridge`,
      `addr add ${addresses.probe.gateway}/30 dev ${probe.bridge}`,
      `link set ${probe.bridge} up`,
      `link add ${probe.device} type veth peer name ${INNER} netns ${probe.namespace}`,
      `link set ${probe.device} master ${probe.bridge} up`
    ])
    const inside = [
      "link set lo up",
      `link set ${INNER} up`,
      `addr add ${addresses.foreign}/32 dev lo`,
      `addr add ${addresses.probe.address}/30 dev ${INNER}`,
      `route add default via ${addresses.probe.gateway}`
    ]
    await batch(inside, "-n", probe.namespace)
    await giveIpv6(probe.namespace)
  }
})

const outsidePart = ({ names: { outside: names }, addresses: { outside, beyond } }: LinkSettings): Part => ({
  name: "what stands for the internet",
  stands: async (host) => {
    const inside = await Devices.read(names.namespace)
    return (
      host.isUp(names.device) &&
      host.has(names.device, wide(outside.gateway, outside.bits)) &&
      host.has(names.device, wide(beyond.gateway, 30)) &&
      inside.isUp(INNER) &&
      inside.has(INNER, wide(outside.address, outside.bits)) &&
      inside.has(INNER, wide(beyond.address, 30))
    )
  },
  remove: async () => {
    await removeDevice(names.device)
    await removeNamespace(names.namespace)
  },
  make: async () => {
    await run("ip", ["netns", "add", names.namespace])
    await batch([
      `link add ${names.device} type veth peer name ${INNER} netns ${names.namespace}`,
      `addr add ${outside.gateway}/${outside.bits} dev ${names.device}`,
      `addr add ${beyond.gateway}/30 dev ${names.device}`,
      `link set ${names.device} up`
    ])
    const inside = [
      "link set lo up",
      `link set ${INNER} up`,
      `addr add ${outside.address}/${outside.bits} dev ${INNER}`,
      `addr add ${beyond.address}/30 dev ${INNER}`
    ]
    await batch(inside, "-n", names.namespace)
  }
})

const partsOf = (settings: LinkSettings): ReadonlyArray<Part> => [
  servicePart(settings),
  probePart(settings),
  outsidePart(settings)
]

async function rebuild(part: Part): Promise<void> {
  await part.remove()
  await part.make()
}

/** Makes the device whose address shows others that the block of addresses is in use. */
export async function claimService(settings: LinkSettings): Promise<void> {
  const part = servicePart(settings)
  if (!(await part.stands(await Devices.read()))) await rebuild(part)
}

export async function ensureLinks(settings: LinkSettings): Promise<void> {
  const host = await Devices.read()
  for (const part of partsOf(settings)) if (!(await part.stands(host))) await rebuild(part)
}

export async function checkLinks(settings: LinkSettings, host: Devices): Promise<ReadonlyArray<string>> {
  const problems: Array<string> = []
  for (const part of partsOf(settings))
    if (!(await part.stands(host))) problems.push(`${part.name} is not as it should be`)
  return problems
}

export async function removeLinks(settings: LinkSettings): Promise<void> {
  for (const part of partsOf(settings)) await part.remove()
}

/** The MTU of the default route's device, within MTU_MIN and MTU_DEFAULT. */
export async function uplinkMtu(): Promise<number> {
  const routes = (await runJson("ip", ["-j", "-4", "route", "show", "default"])) as ReadonlyArray<{ dev?: string }>
  const mtu = (await Devices.read()).get(routes[0]?.dev ?? "")?.mtu ?? MTU_DEFAULT
  return Math.min(Math.max(mtu, MTU_MIN), MTU_DEFAULT)
}
