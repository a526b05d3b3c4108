/**
 * Removes the remains of a deployment's network from this host. Unlike `Network.open`, it needs no subnet, engine or
 * program, and creates nothing. A second run finds nothing.
 *
 * It keeps the chosen addresses (network.json), and the host continues to forward packets, because others may need
 * that.
 */
import { countDockerUser, removeDockerUser } from "./docker-user.ts"
import { Devices, removeDevice, removeNamespace } from "./links.ts"
import { hasProgram, NetworkFault, runAny } from "./programs.ts"
import { stopResolver } from "./resolver.ts"
import { hasTable, removeTable } from "./table.ts"
import { type Names, namesOf, tagOf } from "./tag.ts"

export interface EngineRemoval {
  readonly namesOfNetworks: (prefix: string) => Promise<ReadonlyArray<string>>
  readonly removeNetwork: (name: string) => Promise<void>
}

interface Left {
  readonly table: boolean
  readonly devices: ReadonlyArray<string>
  readonly namespaces: ReadonlyArray<string>
  readonly rules: number
}

/** True for a slot's device. A device that only shares the beginning of the name belongs to somebody else. */
const isSlot = (tag: string, device: string): boolean => {
  const head = `hb${tag}c`
  return device.startsWith(head) && /^\d+$/.test(device.slice(head.length))
}

const isOf = ({ service, probe, outside, tag }: Names, device: string): boolean =>
  [service, probe.bridge, probe.device, outside.device].includes(device) || isSlot(tag, device)

const devicesOf = async (names: Names): Promise<ReadonlyArray<string>> => {
  if (!(await hasProgram("ip"))) return []
  return (await Devices.read()).names().filter((device) => isOf(names, device))
}

const namespacesOf = async ({ probe, outside }: Names): Promise<ReadonlyArray<string>> => {
  if (!(await hasProgram("ip"))) return []
  const { code, stdout } = await runAny("ip", ["netns", "list"])
  const there = code === 0 ? stdout.split("\n").map((line) => line.split(" ")[0]) : []
  return [probe.namespace, outside.namespace].filter((name) => there.includes(name))
}

const lookFor = async (names: Names): Promise<Left> => {
  const [table, devices, namespaces, rules] = await Promise.all([
    hasTable(names.table),
    devicesOf(names),
    namespacesOf(names),
    countDockerUser(names)
  ])
  return { table, devices, namespaces, rules }
}

const some = (count: number, what: string): ReadonlyArray<string> =>
  count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"}`]

const descriptions = ({ table, devices, namespaces, rules }: Left, names: Names): ReadonlyArray<string> => [
  ...(table ? [`the table inet ${names.table}`] : []),
  ...some(devices.length, "device"),
  ...some(namespaces.length, "network namespace"),
  ...some(rules, "rule").map((count) => `${count} of DOCKER-USER`)
]

/** Names of bridges with attached devices, for example those of a container whose engine does not answer. */
export const bridgesInUse = async (folder: string): Promise<ReadonlyArray<string>> => {
  const names = namesOf(tagOf(folder))
  if (!(await hasProgram("ip"))) return []
  const devices = await Devices.read()
  return devices.names().filter((name) => isSlot(names.tag, name) && devices.hasPorts(name))
}

/** Returns what was found and removed. Nothing of the deployment may be running. `engine`: `null` if none answers. */
export const removeNetwork = async (folder: string, engine: EngineRemoval | null): Promise<ReadonlyArray<string>> => {
  const names = namesOf(tagOf(folder))
  const before = await lookFor(names)
  const networks = (await engine?.namesOfNetworks(`hub-${names.tag}-`)) ?? []
  for (const network of networks) await engine?.removeNetwork(network)
  await stopResolver(folder)
  await removeDockerUser(names)
  for (const device of await devicesOf(names)) await removeDevice(device)
  for (const namespace of before.namespaces) await removeNamespace(namespace)
  // The firewall is removed last, as it was set up first.
  if (before.table) await removeTable(names.table)
  const left = descriptions(await lookFor(names), names)
  if (left.length > 0) throw new NetworkFault(`not removed: ${left.join(", ")}`)
  return [...descriptions(before, names), ...some(networks.length, "network").map((count) => `${count} of the engine`)]
}
