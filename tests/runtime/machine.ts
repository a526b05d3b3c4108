/** A machine for compartments: the shared engine, a network for each of a few slots, and hosts on it. */
import { rm } from "node:fs/promises"
import { createHash } from "node:crypto"
import { EngineNetworks } from "../../actors/runtime/host/docker.ts"
import { Host } from "../../actors/runtime/host/host.ts"
import type { FoundContainer, HostSettings, Line, SlotPlace, StartOrder } from "../../actors/runtime/host/types.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { unmountBelow } from "../../ops/runtime/mounts.ts"
import { dockerAt, type SharedEngine, sharedEngine } from "./shared-engine.ts"

/** Small ones: a program that fills them takes its time, at half a core. */
export const QUOTAS = { cpus: 0.5, memory_mb: 192, disk_mb: 64, tmp_mb: 32, pids: 128 }
const LOG_LINES = 1000
const SLOTS = 3
/** What ends itself may take its time on a slow machine. */
const PATIENT_MS = 120_000

export interface Machine {
  /** Runs `docker ...` on its engine. */
  readonly docker: (...args: ReadonlyArray<string>) => Promise<string>
  readonly settings: HostSettings
  readonly slots: ReadonlyArray<SlotPlace>
  readonly host: Host
  /** What hosts told of behind the test's back. */
  readonly notes: ReadonlyArray<string>
  /** The host is let go of, and another one opened. */
  readonly reopen: () => Promise<Host>
  readonly stop: () => Promise<void>
}

/** Each file has its own networks: several run at once on a machine. */
async function makeSlots(networks: EngineNetworks, tag: string): Promise<ReadonlyArray<SlotPlace>> {
  const third = Number.parseInt(tag.slice(0, 2), 16)
  const slots = Array.from({ length: SLOTS }, (_, index) => {
    const first = `10.214.${third}`
    const plan = {
      bridge: `hb${tag}c${index}`,
      subnet: `${first}.${4 * index}/30`,
      gateway: `${first}.${4 * index + 1}`
    }
    return { index, network: `hub-${tag}-${index}`, address: `${first}.${4 * index + 2}`, plan }
  })
  for (const { network, plan } of slots) await networks.ensureNetwork(network, plan)
  return slots
}

export interface MachineOptions {
  /** An engine of the test's own, in the place of the one that all tests share. */
  readonly engine?: SharedEngine
  /** Another image than the engine's. */
  readonly image?: string
}

export async function startMachine(options: MachineOptions = {}): Promise<Machine> {
  const engine = options.engine ?? (await sharedEngine())
  const folder = await testFolder("machine")
  const tag = createHash("sha256").update(folder).digest("hex").slice(0, 4)
  const notes: Array<string> = []
  const base = {
    socket: engine.socket,
    folder,
    tag,
    image: options.image ?? engine.image,
    quotas: QUOTAS,
    logLines: LOG_LINES,
    graceMaxMs: PATIENT_MS
  }
  const settings = { ...base, note: (line: string) => void notes.push(line) }
  const networks = new EngineNetworks(engine.socket)
  const slots = await makeSlots(networks, tag)
  const docker = dockerAt(engine.socket)
  let host = await Host.open(settings)
  return {
    docker: (...args) => docker(args),
    settings,
    slots,
    notes,
    get host() {
      return host
    },
    reopen: async () => {
      await host.close()
      host = await Host.open(settings)
      return host
    },
    stop: async () => {
      for (const { compartment } of await host.list()) await host.destroy(compartment)
      await host.close()
      for (const { network } of slots) await networks.removeNetwork(network)
      await unmountBelow(folder)
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Which process on this machine is a container's first. */
export const firstProcess = (machine: Machine, container: string): Promise<number> =>
  machine.docker("inspect", "--format", "{{.State.Pid}}", container).then(Number)

let runs = 0

/** An order for a program, of a new run. */
export function orderOf(machine: Machine, command: string, other: Partial<StartOrder> = {}): StartOrder {
  runs++
  const slot = machine.slots[0] as SlotPlace
  const order = { compartment: "cmp_1", run: runs, slot, command, env: new Map(), extraHosts: [], uploads: [] }
  return { ...order, ...other }
}

export const nothing = (): void => undefined

export async function foundOf(machine: Machine, compartment = "cmp_1"): Promise<FoundContainer | undefined> {
  return (await machine.host.list()).find((found) => found.compartment === compartment)
}

/** Of the lines that are kept. */
export async function linesOf(machine: Machine, compartment = "cmp_1"): Promise<ReadonlyArray<Line>> {
  const query = { sinceId: null, limit: LOG_LINES, stream: null, q: null, waitMs: 0 }
  return (await machine.host.logs(compartment, query)).lines
}

export interface Outcome {
  readonly found: FoundContainer
  /** Of this run. */
  readonly stdout: ReadonlyArray<string>
  readonly stderr: ReadonlyArray<string>
}

/** Runs a program to its end. */
export async function runToEnd(machine: Machine, command: string, other: Partial<StartOrder> = {}): Promise<Outcome> {
  const order = orderOf(machine, command, other)
  const before = (await linesOf(machine, order.compartment)).at(-1)?.id ?? 0
  await machine.host.start(order, nothing)
  const found = await waitFor(
    async () => {
      const seen = await foundOf(machine, order.compartment)
      return seen?.run === order.run && seen.state === "exited" ? seen : undefined
    },
    { describe: "the end of a program" }
  )
  const lines = (await linesOf(machine, order.compartment)).filter(({ id }) => id > before)
  const of = (stream: string) => lines.flatMap((line) => (line.stream === stream ? [line.line] : []))
  return { found, stdout: of("stdout"), stderr: of("stderr") }
}
