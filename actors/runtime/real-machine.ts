/**
 * A real host: the container engine, network and firewall rules of this machine (host/, network/).
 *
 * Invariants
 *  - Nothing starts before the firewall was proven to work. After it failed a check, nothing starts until it works
 *    again. Running compartments continue, and each check repairs the network.
 *  - The engine or the image may appear later than this process. It looks for them repeatedly, and reports what is
 *    missing.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import type { Clock } from "effect"
import { quotasRecord } from "../../schemas/compartment/limits.ts"
import type { Limits } from "../../schemas/limits.ts"
import { after, type Cancel } from "../../schemas/runtime/clock.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { EngineFault, EngineNetworks } from "./host/docker.ts"
import { HostFault, messageOf } from "./host/fault.ts"
import { Host } from "./host/host.ts"
import type { Adopted } from "./host/types.ts"
import type { FoundContainer, SlotPlace, Upload } from "./host/types.ts"
import type { Archive, Health, Machine, Order } from "./machine.ts"
import { type Checked, Network } from "./network/network.ts"
import { tagOf } from "./network/tag.ts"
import { preparation } from "./preparation.ts"

export interface MachineSettings {
  readonly clock: Clock.Clock
  /** The absolute path of `<HUB_DATA>/runtime`. */
  readonly folder: string
  readonly socket: string | null
  readonly image: string
  readonly max: number
  readonly dns: ReadonlyArray<string>
  /**
   * The port of the service on this machine, which compartments reach at their gateway; `null` if the service has a
   * public address.
   */
  readonly servicePort: number | null
  readonly limits: Limits["runtime"]
  /** A program that was asked to end is killed after this time. */
  readonly stopGraceMs: number
}

const OPEN_AGAIN_MS = 2000
const CHECK_MS = 60_000
/** A failed check is repeated sooner. */
const MEND_MS = 5000
const NOT_YET: Checked = { firewall: false, egress: false, problems: ["they were not looked at yet"] }

const warn = (error: string): void => logNow("warn", "runtime", { error })

export class RealMachine implements Machine {
  readonly name = hostname()
  readonly #settings: MachineSettings
  readonly #begun = new Map<string, number>()
  /** The slots of compartments that are being started. */
  readonly #slots = new Map<string, number>()
  readonly #listeners = new Set<(compartment: string) => void>()
  #host: Host | null = null
  #network: Network | null = null
  #checked: Checked = NOT_YET
  #reason: string | null = "the container engine was not looked for yet"
  /** True while the reason is normal at a start, so that nobody has to act. */
  #starting = true
  #cancel: Cancel | undefined
  #ended = false
  #underWay: Promise<void> = Promise.resolve()

  constructor(settings: MachineSettings) {
    this.#settings = settings
    mkdirSync(this.#folderOf(""), { recursive: true, mode: 0o700 })
    // Removes the files that a killed process has left.
    rmSync(join(settings.folder, "spool"), { recursive: true, force: true })
    for (const compartment of readdirSync(this.#folderOf("")))
      this.#begun.set(compartment, this.#readBegun(compartment))
    this.#look()
  }

  /** Releases everything. Containers keep running. */
  async end(): Promise<void> {
    this.#ended = true
    this.#cancel?.()
    await this.#underWay
    await this.#host?.close()
    await this.#network?.close({ remove: false })
  }

  health(): Health {
    const isolation = this.#host?.facts.isolation ?? null
    const isOpening = this.#reason !== null && this.#starting
    if (this.#network === null)
      return { reason: this.#reason, starting: isOpening, isolation, firewall: null, egress: null }
    const { firewall, egress, problems } = this.#checked
    // The log names the rules. This text is public, so it has only their number.
    const reason = firewall ? null : `${problems.length} of the isolation rules do not stand`
    const starting = isOpening || (this.#reason === null && this.#checked === NOT_YET)
    return { reason: this.#reason ?? reason, starting, isolation, firewall, egress }
  }

  async found(): Promise<ReadonlyArray<FoundContainer>> {
    return this.#opened().list()
  }

  begun(compartment: string): number {
    return this.#begun.get(compartment) ?? 0
  }

  async start(order: Order, applied: Parameters<Machine["start"]>[1]): Promise<void> {
    const { reason } = this.health()
    if (reason !== null) throw new EngineFault(reason)
    const host = this.#opened()
    const uploads = await Promise.all(order.archives.map((archive) => this.#spooled(order.compartment, archive)))
    const slot = await this.#slotFor(order.compartment)
    this.#begin(order.compartment, order.run)
    try {
      await host.start({ ...order, slot, extraHosts: this.#extraHosts(), uploads }, ({ id }, how) =>
        applied(Number(id), how)
      )
    } finally {
      this.#slots.delete(order.compartment)
      await Promise.all(uploads.map(({ file }) => rm(file, { force: true })))
    }
  }

  adopt(compartment: string): Promise<Adopted> {
    return this.#opened().adopt(compartment)
  }

  stop(compartment: string): Promise<void> {
    return this.#opened().stop(compartment, this.#settings.stopGraceMs)
  }

  remove(compartment: string): Promise<void> {
    return this.#opened().remove(compartment)
  }

  async destroy(compartment: string): Promise<void> {
    await this.#opened().destroy(compartment)
    this.#begun.delete(compartment)
    await rm(this.#folderOf(compartment), { recursive: true, force: true })
  }

  async apply(compartment: string, archive: Archive): ReturnType<Machine["apply"]> {
    const upload = await this.#spooled(compartment, archive)
    try {
      return await this.#opened().apply(upload, compartment)
    } finally {
      await rm(upload.file, { force: true })
    }
  }

  say(compartment: string, line: string): void {
    this.#host?.say(compartment, line)
  }

  logs(...[compartment, query]: Parameters<Machine["logs"]>): ReturnType<Machine["logs"]> {
    return this.#opened().logs(compartment, query)
  }

  stats(compartment: string): ReturnType<Machine["stats"]> {
    return this.#opened().stats(compartment)
  }

  async diskMb(compartment: string): Promise<number> {
    return (await this.#opened().disk(compartment)).used_mb
  }

  exits(listener: (compartment: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  exec(...order: Parameters<Host["exec"]>): ReturnType<Host["exec"]> {
    return this.#opened().exec(...order)
  }

  #opened(): Host {
    if (this.#host === null) throw new EngineFault(this.#reason ?? "the container engine is away")
    return this.#host
  }

  #look(): void {
    this.#underWay = this.#lookOnce()
      .then((waitMs) => {
        if (!this.#ended) this.#cancel = after(this.#settings.clock, waitMs, () => this.#look())
      })
      .catch((error: unknown) => warn(messageOf(error)))
  }

  async #lookOnce(): Promise<number> {
    try {
      await this.#open()
    } catch (error) {
      const reason = error instanceof HostFault ? error.message : messageOf(error)
      const prepared = await preparation(this.#settings.folder)
      const before = this.#reason
      this.#reason = prepared?.reason ?? reason
      this.#starting = prepared?.underWay ?? false
      if (!this.#starting && this.#reason !== before) warn(`no compartment starts here: ${this.#reason}`)
      return OPEN_AGAIN_MS
    }
    this.#reason = null
    return this.#check()
  }

  async #open(): Promise<void> {
    const { folder, image, limits, max, dns, servicePort } = this.#settings
    const socket = this.#settings.socket ?? socketIn(folder)
    this.#host ??= await this.#openHost({
      socket,
      folder,
      tag: tagOf(folder),
      image,
      quotas: quotasRecord(limits.quotas),
      logLines: limits.log_lines,
      note: warn
    })
    this.#network ??= await Network.open({
      folder,
      max,
      engine: new EngineNetworks(socket),
      egressKbit: limits.quotas.egress_kbit,
      service: servicePort === null ? null : { port: servicePort },
      dns,
      masquerade: true
    })
  }

  async #openHost(settings: Parameters<typeof Host.open>[0]): Promise<Host> {
    const host = await Host.open(settings)
    host.exits(({ compartment }) => {
      for (const listener of this.#listeners) listener(compartment)
    })
    return host
  }

  async #check(): Promise<number> {
    try {
      await this.#network?.ensure()
      this.#checked = (await this.#network?.check()) ?? NOT_YET
    } catch (error) {
      this.#checked = { firewall: false, egress: false, problems: [messageOf(error)] }
    }
    if (this.#checked.firewall && this.#checked.egress) return CHECK_MS
    warn(this.#checked.problems.join("; "))
    return MEND_MS
  }

  /** The slot that the compartment has, or the first free one. */
  async #slotFor(compartment: string): Promise<SlotPlace> {
    const all = await this.found()
    const slots = this.#network?.slots ?? []
    const own = all.find((one) => one.compartment === compartment)?.slot
    const taken = new Set(all.filter((one) => one.compartment !== compartment).map(({ slot }) => slot))
    for (const [other, index] of this.#slots) if (other !== compartment) taken.add(index)
    const slot = slots.find(({ index }) => index === own) ?? slots.find(({ index }) => !taken.has(index))
    if (slot === undefined) throw new EngineFault("no place is free on this host")
    // Set in the same turn of the event loop as it was chosen, because several compartments may start at the same time.
    this.#slots.set(compartment, slot.index)
    return slot
  }

  #extraHosts(): ReadonlyArray<string> {
    const address = this.#network?.serviceAddress ?? null
    return address === null ? [] : [`hub.internal:${address}`]
  }

  async #spooled(compartment: string, { id, dest, bytes }: Archive): Promise<Upload> {
    const folder = join(this.#settings.folder, "spool")
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, `${compartment}-${id}.tar.gz`)
    await writeFile(file, bytes, { mode: 0o600 })
    return { id: String(id), dest, file }
  }

  #folderOf(compartment: string): string {
    return join(this.#settings.folder, "begun", compartment)
  }

  #readBegun(compartment: string): number {
    try {
      return Number(readFileSync(join(this.#folderOf(compartment), "run"), "utf8")) || 0
    } catch {
      return 0
    }
  }

  #begin(compartment: string, run: number): void {
    const folder = this.#folderOf(compartment)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, "run")
    writeFileSync(`${file}.new`, String(run), { mode: 0o600 })
    renameSync(`${file}.new`, file)
    this.#begun.set(compartment, run)
  }
}

/** The socket of the engine that `prepare` has chosen. */
const socketIn = (folder: string): string => {
  try {
    const { socket } = JSON.parse(readFileSync(join(folder, "engine.json"), "utf8")) as { readonly socket?: unknown }
    if (typeof socket === "string") return socket
  } catch {
    // The host was not prepared yet.
  }
  throw new HostFault("no container engine was prepared yet")
}
