/** Files whose unpacking never ends hold up no start and no stop, of their own compartment or of another. */
import { expect, test } from "vitest"
import type { Adopted, FoundContainer } from "../../../actors/runtime/host/types.ts"
import type { Machine, Order } from "../../../actors/runtime/machine.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { Reconciler } from "../../../actors/runtime/reconciler.ts"
import type { Desired, Reported } from "../../../schemas/compartment/operations.ts"
import { waitFor } from "../../harness/wait.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"

/** More than rounds, and than unpackings, that go on at a time. */
const MANY = 12
const never = new Promise<never>(() => undefined)

const wantedOf = (goal: Desired["goal"], status: Desired["status"]): Desired => ({
  goal,
  status,
  run: 1,
  agent: "HX-1",
  name: "one",
  command: "true",
  image: "i",
  secrets: [],
  hub_key: null,
  uploads: [{ id: 1, dest: "", blob: { sha256: "0".repeat(64), size: 1, pieces: 1 } as never, key: "k" as never }]
})

const foundOf = (compartment: string, state: FoundContainer["state"]): FoundContainer => ({
  compartment,
  run: 1,
  slot: 0,
  image: "i",
  state,
  exitCode: state === "exited" ? 143 : null,
  oomKilled: false,
  startedAt: 1,
  finishedAt: state === "exited" ? 2 : null
})

class Held implements Machine {
  readonly name = "held"
  readonly exec = null
  readonly containers = new Map<string, FoundContainer>()
  applying = 0
  health = () => ({ reason: null, starting: false, isolation: "runc" as const, firewall: true, egress: true })
  found = () => Promise.resolve([...this.containers.values()])
  begun = (compartment: string) => (this.containers.has(compartment) ? 1 : 0)
  start = ({ compartment }: Order): Promise<void> => {
    this.containers.set(compartment, foundOf(compartment, "running"))
    return Promise.resolve()
  }
  /** As on a host: behind whatever else is under way for it. */
  adopt = (compartment: string): Promise<Adopted> =>
    this.unpacking.has(compartment) ? never : Promise.resolve("running")
  readonly unpacking = new Set<string>()
  apply = (compartment: string) => {
    this.unpacking.add(compartment)
    this.applying++
    return never
  }
  stop = (compartment: string) => {
    this.containers.set(compartment, foundOf(compartment, "exited"))
    return Promise.resolve()
  }
  remove = (compartment: string) => Promise.resolve(void this.containers.delete(compartment))
  destroy = this.remove
  say = () => undefined
  logs = () => Promise.reject(new Error("none"))
  stats = () => Promise.resolve(null)
  diskMb = () => Promise.resolve(0)
  exits = () => () => undefined
}

/** A host that died between the start of a container and that of its program. */
class Awaiting extends Held {
  readonly orders: Array<Order> = []
  override adopt = (): Promise<Adopted> => Promise.resolve(this.orders.length === 0 ? "awaiting" : "running")
  override start = (order: Order) => Promise.resolve(void this.orders.push(order))
}

test("a program that was not started is started with its files and checks, and not only given its command", async () => {
  const machine = new Awaiting()
  const told: Array<Reported["type"]> = []
  const reconciler = new Reconciler({
    clock: machineClock,
    machine,
    atOnce: LIMITS.service.runtime.reconciled_at_once,
    desired: () => Promise.resolve(wantedOf("running", "starting")),
    report: (_command, _compartment, { type }) => Promise.resolve(void told.push(type)),
    orderOf: (compartment, { run, command }, archives) => ({ compartment, run, command, env: new Map(), archives }),
    archiveOf: (_compartment, { id, dest }) => Promise.resolve({ id, dest, bytes: new Uint8Array() })
  })
  machine.containers.set("cmp_one", foundOf("cmp_one", "running"))
  reconciler.changed("cmp_one")
  await waitFor(() => told.includes("running"), { describe: "the report of a running program" })
  expect(machine.orders.map(({ archives }) => archives.length)).toEqual([1])
})

test("what unpacks for ever holds up nobody", async () => {
  const machine = new Held()
  const wanted = new Map<string, Desired>()
  const told: Array<[string, Reported["type"]]> = []
  const reconciler = new Reconciler({
    clock: machineClock,
    machine,
    atOnce: LIMITS.service.runtime.reconciled_at_once,
    desired: (compartment) => Promise.resolve(wanted.get(compartment) ?? null),
    report: (_command, compartment, { type }) => Promise.resolve(void told.push([compartment, type])),
    orderOf: (compartment, { run, command }) => ({ compartment, run, command, env: new Map(), archives: [] }),
    archiveOf: (_compartment, { id, dest }) => Promise.resolve({ id, dest, bytes: new Uint8Array() })
  })
  const ids = Array.from({ length: MANY }, (_, index) => `cmp_${index}`)
  for (const id of ids) {
    machine.containers.set(id, foundOf(id, "running"))
    wanted.set(id, wantedOf("running", "running"))
  }
  const sweep = (): void => [...wanted.keys()].forEach((id) => reconciler.changed(id))
  sweep()
  await waitFor(() => machine.applying === 8 || null, { describe: "as many unpackings as there may be" })
  // Looked at again and again, as by each beat.
  for (let round = 0; round < 3; round++) sweep()
  wanted.set("cmp_0", wantedOf("stopped", "stopping"))
  wanted.set("cmp_new", { ...wantedOf("running", "starting"), uploads: [] })
  sweep()
  await waitFor(() => told.some(([id, type]) => id === "cmp_0" && type === "exited") || null, { describe: "a stop" })
  await waitFor(() => told.some(([id, type]) => id === "cmp_new" && type === "running") || null, {
    describe: "a start"
  })
  expect(machine.applying).toBe(8)
})
