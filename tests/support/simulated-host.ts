/**
 * A host of compartments that is the role `runtime` (its beat, its loop, its protocol over the bus) on a machine
 * without containers. A running program is a row of a table that all machines of a test share, and that checks what
 * runs where.
 */
import { randomBytes } from "node:crypto"
import { asking } from "../../actors/kit/worker/asks.ts"
import { type AskOnce, askedBy } from "../../actors/runtime/asked.ts"
import { Beat } from "../../actors/runtime/beat.ts"
import type { FoundContainer } from "../../actors/runtime/host/types.ts"
import type { Machine, Order } from "../../actors/runtime/machine.ts"
import { Reconciler } from "../../actors/runtime/reconciler.ts"
import { desiredStateFrom } from "../../actors/runtime/start.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { subjects } from "../../schemas/subjects.ts"
import { VERSION } from "../../schemas/version.ts"
import type { TestService } from "./service.ts"

/** The exit code of a program that ends by itself. */
const EXITED = 3
/** The exit code of a program that SIGTERM ended. */
const TERMINATED = 143
const IMAGE = `hub-compartment:${VERSION}`

/** The running programs of all machines. */
export class Programs {
  readonly #running = new Map<string, Set<string>>()
  /** Compartments that ran on two machines at once, or one of whose runs was started twice. */
  readonly twice: Array<string> = []
  readonly #begun = new Set<string>()

  begin(compartment: string, run: number, host: string): void {
    const hosts = this.hostsOf(compartment)
    if (hosts.size > 0) this.twice.push(`${compartment} on ${host} beside ${[...hosts].join(", ")}`)
    if (this.#begun.has(`${compartment} ${run}`)) this.twice.push(`run ${run} of ${compartment}, again on ${host}`)
    this.#begun.add(`${compartment} ${run}`)
    hosts.add(host)
  }

  end(compartment: string, host: string): void {
    this.#running.get(compartment)?.delete(host)
  }

  hostsOf(compartment: string): Set<string> {
    const known = this.#running.get(compartment) ?? new Set<string>()
    this.#running.set(compartment, known)
    return known
  }

  get count(): number {
    return [...this.#running.values()].filter(({ size }) => size > 0).length
  }
}

class SimulatedMachine implements Machine {
  readonly name: string
  readonly exec = null
  readonly #programs: Programs
  readonly #containers = new Map<string, FoundContainer>()
  /** On the machine's disk, so it survives a loss of power. */
  readonly #begun = new Map<string, number>()

  constructor(name: string, programs: Programs) {
    this.name = name
    this.#programs = programs
  }

  health = () => ({ reason: null, starting: false, isolation: "runc" as const, firewall: true, egress: true })
  found = () => Promise.resolve([...this.#containers.values()])
  begun = (compartment: string): number => this.#begun.get(compartment) ?? 0

  start = ({ compartment, run }: Order): Promise<void> => {
    this.#begun.set(compartment, run)
    this.#programs.begin(compartment, run, this.name)
    const now = { exitCode: null, oomKilled: false, startedAt: Date.now(), finishedAt: null }
    this.#containers.set(compartment, { compartment, run, slot: 0, image: IMAGE, state: "running", ...now })
    return Promise.resolve()
  }

  adopt = () => Promise.resolve("running" as const)

  stop = (compartment: string): Promise<void> => {
    const found = this.#containers.get(compartment)
    if (found?.state !== "running") return Promise.resolve()
    this.#programs.end(compartment, this.name)
    const over = { state: "exited" as const, exitCode: TERMINATED, finishedAt: Date.now() }
    this.#containers.set(compartment, { ...found, ...over })
    return Promise.resolve()
  }

  /** The program ends by itself. */
  exit(compartment: string): void {
    const found = this.#containers.get(compartment)
    if (found === undefined) throw new Error(`${compartment} has no container here`)
    this.#programs.end(compartment, this.name)
    const over = { state: "exited" as const, exitCode: EXITED, finishedAt: Date.now() }
    this.#containers.set(compartment, { ...found, ...over })
  }

  remove = async (compartment: string): Promise<void> => {
    await this.stop(compartment)
    this.#containers.delete(compartment)
  }

  destroy = async (compartment: string): Promise<void> => {
    await this.remove(compartment)
    this.#begun.delete(compartment)
  }

  /** Loses power: nothing runs, and there are no containers afterwards. */
  lose(): void {
    for (const compartment of this.#containers.keys()) this.#programs.end(compartment, this.name)
    this.#containers.clear()
  }

  apply = () => Promise.resolve({ ok: true as const })
  say = () => undefined
  logs = () => Promise.resolve({ lines: [], truncated: false, more: false, lastId: 0 })
  stats = () => Promise.resolve(null)
  diskMb = () => Promise.resolve(0)
  exits = () => () => undefined
}

const DEAD = new Error("this host is dead")

export class SimulatedHost {
  readonly id = `host_${randomBytes(8).toString("hex")}`
  readonly #service: TestService
  readonly machine: SimulatedMachine
  readonly #max: number
  /** Ends what the running host has started. */
  #end: (() => Promise<void>) | null = null

  constructor(service: TestService, programs: Programs, max: number) {
    this.#service = service
    this.machine = new SimulatedMachine(this.id, programs)
    this.#max = max
  }

  start(): void {
    const { view } = this.#service
    const life = { over: false }
    const send = askedBy(asking(machineClock, (one, span) => view.asker.ask(one, span)))
    const asked: AskOnce = (...call) => (life.over ? Promise.reject(DEAD) : send(...call))
    const reconciler = new Reconciler({
      clock: machineClock,
      machine: this.machine,
      atOnce: LIMITS.service.runtime.reconciled_at_once,
      desired: desiredStateFrom(asked, this.id),
      report: async (command, compartment, told) => {
        await asked(command, "compartment.report", compartment, { host: this.id, told })
      },
      orderOf: (compartment, { run, command }) => ({ compartment, run, command, env: new Map(), archives: [] }),
      archiveOf: () => Promise.reject(new Error("no archives here"))
    })
    const beat = new Beat({
      clock: machineClock,
      asked,
      machine: this.machine,
      host: this.id,
      max: this.#max,
      image: IMAGE,
      publicKey: Buffer.alloc(32, 9).toString("base64"),
      everyMs: LIMITS.service.runtime.beat_ms,
      changed: (compartment) => reconciler.changed(compartment)
    })
    const subscription = view.nats.subscribe(subjects.compartmentsChanged(this.id), {
      callback: (_error, { subject }) => reconciler.changed(subject.split(".").at(-1) ?? "")
    })
    this.#end = async () => {
      life.over = true
      subscription.unsubscribe()
      beat.end()
      await reconciler.end()
    }
  }

  /** Stops like a machine that loses power. It can be started again. */
  async die(): Promise<void> {
    await this.#end?.()
    this.#end = null
    this.machine.lose()
  }
}
