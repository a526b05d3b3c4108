/**
 * The network of a host's compartments: slots with a bridge, a rate limit and a subnet each, the firewall, and the
 * resolver. If the service listens only on loopback, a forward to it is included.
 *
 * The kernel's settings and the resolver outlive our process and work while it is away; the forward does not. `ensure`
 * finds them again and repairs them, even if they are incomplete. The firewall is set up before the first slot's
 * bridge.
 */
import { mkdir, writeFile } from "node:fs/promises"
import { check, type Checked, type CheckSettings, isForwarding } from "./check.ts"
import { ensureDockerUser, removeDockerUser } from "./docker-user.ts"
import { Forward } from "./forward.ts"
import { claimService, Devices, ensureLinks, removeLinks, uplinkMtu } from "./links.ts"
import { NetworkFault, requirePrograms } from "./programs.ts"
import { ensureResolver, stopResolver } from "./resolver.ts"
import { ensureShaping } from "./shaping.ts"
import { type Addresses, chooseAddresses } from "./subnet.ts"
import { ensureTable, removeTable } from "./table.ts"
import { type Names, namesOf, tagOf } from "./tag.ts"

export type { Checked } from "./check.ts"

const SLOTS_MAX = 64
const FORWARDING = "/proc/sys/net/ipv4/ip_forward"

export interface Slot {
  readonly index: number
  readonly bridge: string
  readonly network: string
  readonly gateway: string
  readonly address: string
}

interface EngineNetwork {
  readonly bridge: string
  readonly subnet: string
  readonly gateway: string
  readonly mtu: number
}

export interface EngineNetworks {
  /** Makes sure that a network of that name exists with these settings. One with other settings is replaced. */
  readonly ensureNetwork: (name: string, settings: EngineNetwork) => Promise<void>
  /** Has no effect if there is no such network. */
  readonly removeNetwork: (name: string) => Promise<void>
}

export interface NetworkSettings {
  readonly folder: string
  readonly max: number
  readonly engine: EngineNetworks
  readonly egressKbit: number
  /** The port of the service on the host's loopback; null if compartments reach it like the internet. */
  readonly service: { readonly port: number } | null
  /** Name servers as `ip:port`; if empty, the host's own. */
  readonly dns: ReadonlyArray<string>
  /** True if the engine leaves it to us to replace a compartment's address by the host's. */
  readonly masquerade: boolean
}

export class Network {
  readonly slots: ReadonlyArray<Slot>
  /** The address at which compartments find the service as `hub.internal`; null if they find it on the internet. */
  readonly serviceAddress: string | null
  /** The address of the resolver. It also answers queries that a compartment sends to another name server. */
  readonly dnsAddress: string
  readonly #settings: NetworkSettings
  readonly #names: Names
  readonly #addresses: Addresses
  readonly #checked: CheckSettings
  readonly #forward: Forward | null

  private constructor(settings: NetworkSettings, names: Names, addresses: Addresses) {
    this.#settings = settings
    this.#names = names
    this.#addresses = addresses
    const { folder, max, service, masquerade, dns, egressKbit } = settings
    this.slots = Array.from({ length: max }, (_, index) => this.#slot(index))
    this.dnsAddress = addresses.service
    this.serviceAddress = service === null ? null : addresses.service
    this.#checked = {
      rules: { names, addresses, max, egressKbit, servicePort: service?.port ?? null, masquerade },
      resolver: { folder, address: addresses.service, service: service !== null, upstreams: dns },
      slots: this.slots
    }
    const allowed = new Set([addresses.probe.address, ...this.slots.map(({ address }) => address)])
    this.#forward = service === null ? null : new Forward({ address: addresses.service, port: service.port, allowed })
  }

  #slot(index: number): Slot {
    const { gateway, address } = this.#addresses.slot(index)
    return { index, bridge: this.#names.bridge(index), network: this.#names.network(index), gateway, address }
  }

  /** Chooses the addresses, or reads those that were chosen earlier. `ensure` sets up the rest. */
  static async open(settings: NetworkSettings): Promise<Network> {
    await requirePrograms()
    const { folder, max } = settings
    if (!Number.isInteger(max) || max < 1 || max > SLOTS_MAX)
      throw new NetworkFault(`a host has 1 to ${SLOTS_MAX} compartments, not ${max}`)
    await mkdir(folder, { recursive: true })
    const names = namesOf(tagOf(folder))
    const addresses = await chooseAddresses(folder, names.tag, (chosen) => claimService({ names, addresses: chosen }))
    return new Network(settings, names, addresses)
  }

  async ensure(): Promise<void> {
    const { rules, resolver } = this.#checked
    if (!(await isForwarding())) await writeFile(FORWARDING, "1")
    await ensureLinks(rules)
    await ensureTable(rules)
    await Promise.all([this.#ensureBridges(), ensureDockerUser(this.#names), ensureResolver(resolver)])
    await ensureShaping(
      this.slots.map(({ bridge }) => bridge),
      rules.egressKbit
    )
    await this.#forward?.listen()
  }

  /** The engine makes a network's device only once. If the device is gone, the network has to be removed too. */
  async #ensureBridges(): Promise<void> {
    const mtu = await uplinkMtu()
    const make = ({ index, bridge, network, gateway }: Slot): Promise<void> =>
      this.#settings.engine.ensureNetwork(network, { bridge, gateway, mtu, subnet: this.#addresses.slot(index).subnet })
    for (const slot of this.slots) await make(slot)
    const broken = await this.#brokenSlots()
    for (const slot of broken) {
      await this.#settings.engine.removeNetwork(slot.network)
      await make(slot)
    }
    const [still] = broken.length === 0 ? [] : await this.#brokenSlots()
    if (still !== undefined) throw new NetworkFault(`the engine makes no bridge ${still.bridge} for ${still.network}`)
  }

  async #brokenSlots(): Promise<ReadonlyArray<Slot>> {
    const devices = await Devices.read()
    return this.slots.filter(({ bridge, gateway }) => !devices.isGateway(bridge, gateway))
  }

  check(): Promise<Checked> {
    return check(this.#checked)
  }

  /** `remove`: removes everything, the firewall last. Otherwise only the forward ends. */
  async close({ remove }: { readonly remove: boolean }): Promise<void> {
    await this.#forward?.close()
    if (!remove) return
    for (const { network } of this.slots) await this.#settings.engine.removeNetwork(network)
    await stopResolver(this.#settings.folder)
    await removeDockerUser(this.#names)
    await removeLinks(this.#checked.rules)
    await removeTable(this.#names.table)
  }
}
