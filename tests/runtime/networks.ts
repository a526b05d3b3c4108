/**
 * A network of compartments with a folder and a tag of its own, and what tests need around it. Where no container is
 * needed bridges are made without an engine, as an engine makes them; a program in a namespace stands where a
 * container's would.
 */
import { rm } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { type EngineNetworks, Network, type NetworkSettings } from "../../actors/runtime/network/network.ts"
import { type Names, namesOf, tagOf } from "../../actors/runtime/network/tag.ts"
import { testFolder } from "../harness/index.ts"
import { ip, joinSlot, makeSpace, type Served, serveIn, sh, type Space, succeeds } from "./namespaces.ts"

export const EGRESS_KBIT = 20_480

/** Bridges as Docker's engine makes them. */
export function bareBridges(): EngineNetworks {
  const bridges = new Map<string, string>()
  return {
    ensureNetwork: async (name, { bridge, gateway, mtu }) => {
      if (bridges.has(name)) return
      bridges.set(name, bridge)
      await ip(`link add ${bridge} mtu ${mtu} type bridge`)
      await ip(`addr add ${gateway}/30 dev ${bridge}`)
      await ip(`link set ${bridge} up`)
    },
    removeNetwork: async (name) => {
      const bridge = bridges.get(name)
      bridges.delete(name)
      if (bridge !== undefined) await succeeds("ip", "link", "delete", bridge)
    }
  }
}

/** Out in the world: an address that is public, and a way back to compartments, whoever hides them. */
interface World {
  readonly space: Space
  readonly address: string
  readonly ports: { readonly plain: number; readonly source: number; readonly sink: number; readonly udp: number }
  readonly served: Served
}

export interface Made {
  readonly network: Network
  readonly names: Names
  readonly folder: string
  /** A number of this network's alone, for addresses. */
  readonly number: number
  readonly world: World
  /** In the place of a compartment, one for each slot. */
  readonly inside: ReadonlyArray<Space>
  readonly remove: () => Promise<void>
}

const PORTS = { plain: 7001, source: 7002, sink: 7003, udp: 7004 }

async function makeWorld(tag: string, number: number): Promise<World> {
  const space = await makeSpace(`hub-${tag}-world`, `hb${tag}w`)
  const [host, address] = [`198.51.100.${number * 2}`, `198.51.100.${number * 2 + 1}`]
  await ip(`addr add ${host}/31 dev ${space.device}`)
  await space.inner(`addr add ${address}/31 dev eth0`)
  await space.inner(`route add default via ${host}`)
  return { space, address, ports: PORTS, served: await serveIn(space, { do: "serve", ...PORTS }) }
}

export async function makeNetwork(settings: Partial<NetworkSettings> = {}): Promise<Made> {
  const folder = settings.folder ?? (await testFolder("network"))
  const engine = settings.engine ?? bareBridges()
  const own = { folder, max: 2, engine, egressKbit: EGRESS_KBIT, service: null, dns: [], masquerade: true }
  const network = await Network.open({ ...own, ...settings })
  await network.ensure()
  const names = namesOf(tagOf(folder))
  const number = Math.floor(Number(network.dnsAddress.split(".")[2]) / 2)
  const world = await makeWorld(names.tag, number)
  const inside: Array<Space> = []
  for (const slot of network.slots) {
    const space = await makeSpace(`hub-${names.tag}-in${slot.index}`, `hb${names.tag}n${slot.index}`)
    await joinSlot(space, slot)
    inside.push(space)
  }
  return {
    network,
    names,
    folder,
    number,
    world,
    inside,
    remove: async () => {
      await world.served.stop()
      for (const space of [...inside, world.space]) await space.remove()
      await network.close({ remove: true })
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** What happens while the firewall's table is not there; it is put back afterwards. */
export async function withoutRules<A>({ network, names }: Made, work: () => Promise<A>): Promise<A> {
  await sh("nft", "delete", "table", "inet", names.table)
  try {
    return await work()
  } finally {
    await network.ensure()
  }
}

/** A server of the host's own, at every address that it has. It greets with the address of whoever comes. */
export async function hostServer(host = "::"): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const server = createServer((socket) => socket.on("error", () => {}).end(`${socket.remoteAddress}\n`))
  await new Promise<void>((resolve) => server.listen({ port: 0, host }, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => server.close(() => resolve()))
  }
}
