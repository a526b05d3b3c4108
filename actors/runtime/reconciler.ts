/**
 * Brings the compartments of this host into the state that their actors want.
 *
 * Invariants
 *  - It is idempotent from any state: each round reads the wanted state and the actual state again, and does one step
 *    at a time (step.ts). So it finds and continues the unfinished work of a process that died.
 *  - Each compartment has one round at a time, and the host runs a few rounds in parallel. A change during a round
 *    leads to another round.
 *  - Files for a running program are unpacked outside of the rounds, so that a slow unpacking delays no start and no
 *    stop.
 *  - While actors, bus or engine cannot be reached, compartments are left as they are, and programs continue.
 *  - A run that its actor does not know, because the log was restored, is reported. It is ended when the actor has
 *    ordered a later one.
 *  - The beginning of a run is noted on disk before its container is created. If the container is gone, the run is
 *    reported as lost, and never begun a second time.
 */
import { randomUUID } from "node:crypto"
import type { Clock } from "effect"
import type { Desired, Reported } from "../../schemas/compartment/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { EngineFault } from "./host/docker.ts"
import { LastingFault, messageOf } from "./host/fault.ts"
import type { Applied, FoundContainer } from "./host/types.ts"
import type { Archive, Machine, Order } from "./machine.ts"
import { nextStep, type Step } from "./step.ts"

/** The maximum number of steps in one round. Needing more is a fault; the rest waits for the next sweep. */
const STEPS_MAX = 8
/** The number of compartments into which files are unpacked at a time. The others wait. */
const UPLOADS_AT_ONCE = 8

/** `desired`: `null` if there is no such compartment on this host. Rejects if that is not known. */
export interface FleetPort {
  readonly desired: (compartment: string) => Promise<Desired | null>
  readonly report: (command: string, compartment: string, told: Reported) => Promise<void>
}

export interface ReconcilerParts extends FleetPort {
  readonly clock: Clock.Clock
  readonly machine: Machine
  /** The most compartments that are started or stopped at a time. */
  readonly atOnce: number
  /** Makes the order of a run. Throws if a sealed value cannot be opened. */
  readonly orderOf: (compartment: string, desired: Desired, archives: ReadonlyArray<Archive>) => Order
  readonly archiveOf: (compartment: string, upload: Desired["uploads"][number]) => Promise<Archive>
  readonly overfull?: (compartment: string) => number | undefined
  /** Called in rounds in which the program runs, except while files are unpacked. */
  readonly running?: (compartment: string, desired: Desired) => void
}

export class Reconciler {
  readonly #parts: ReconcilerParts
  /** Compartments that wait for a round, and those that have one under way. */
  readonly #wanted = new Set<string>()
  readonly #busy = new Set<string>()
  readonly #interrupting = new Set<string>()
  readonly #uploading = new Set<string>()
  readonly #toUpload = new Set<string>()
  #ended = false
  #idle: Array<() => void> = []

  constructor(parts: ReconcilerParts) {
    this.#parts = parts
  }

  changed(compartment: string): void {
    if (this.#ended) return
    this.#wanted.add(compartment)
    if (this.#busy.has(compartment)) void this.#interrupt(compartment)
    else this.#next()
  }

  /**
   * Stops the compartment if its actor wants that. A stop does not wait for work under way, which may take a minute.
   */
  async #interrupt(compartment: string): Promise<void> {
    if (this.#interrupting.has(compartment)) return
    this.#interrupting.add(compartment)
    try {
      const wanted = await this.#parts.desired(compartment)
      const isMeant = wanted === null || wanted.goal !== "running"
      if (isMeant && this.#busy.has(compartment)) await this.#parts.machine.stop(compartment)
    } catch (error) {
      logNow("warn", "compartment", { compartment, error: messageOf(error) })
    } finally {
      this.#interrupting.delete(compartment)
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    this.#wanted.clear()
    if (this.#busy.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #next(): void {
    for (const compartment of this.#wanted) {
      if (this.#busy.size >= this.#parts.atOnce) return
      if (this.#busy.has(compartment)) continue
      this.#wanted.delete(compartment)
      this.#busy.add(compartment)
      void this.#round(compartment)
        .catch((error: unknown) => logNow("warn", "compartment", { compartment, error: messageOf(error) }))
        .finally(() => {
          this.#busy.delete(compartment)
          this.#next()
          if (this.#busy.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
        })
    }
  }

  async #round(compartment: string): Promise<void> {
    const { machine, desired, overfull } = this.#parts
    for (let steps = 0; steps < STEPS_MAX && !this.#ended; steps++) {
      const [wanted, all] = [await desired(compartment), await machine.found()]
      const found = all.find((one) => one.compartment === compartment) ?? null
      const step = nextStep({ wanted, found, begun: machine.begun(compartment), overfull: overfull?.(compartment) })
      if (!(await this.#done(compartment, step, wanted, found))) return
    }
  }

  /** True if there may be more to do. */
  async #done(compartment: string, step: Step, wanted: Desired | null, found: FoundContainer | null): Promise<boolean> {
    const { machine } = this.#parts
    switch (step.do) {
      case "nothing":
        return false
      case "stop":
        await machine.stop(compartment)
        return true
      case "remove":
        await machine.remove(compartment)
        return true
      case "destroy":
        await machine.destroy(compartment)
        await this.#report(compartment, "removed", { type: "removed" })
        return false
      case "tell exit":
        return this.#tellExit(compartment, step, wanted)
      case "tell ahead":
        return this.#tellAhead(compartment, step, wanted)
      case "start":
        return wanted === null ? false : this.#start(compartment, wanted)
      case "keep":
        return wanted === null ? false : this.#keep(compartment, step, wanted, found)
    }
  }

  async #tellExit(compartment: string, step: Step & { do: "tell exit" }, wanted: Desired | null): Promise<boolean> {
    if (wanted === null) return false
    const { exitCode: exit_code, oomKilled: oom_killed, why } = step
    const told = {
      type: "exited",
      run: wanted.run,
      exit_code,
      oom_killed,
      why,
      at: step.at ?? wallMs(this.#parts.clock)
    } as const
    if (why === "program")
      this.#parts.machine.say(compartment, `ended${exit_code === null ? "" : ` with exit code ${exit_code}`}`)
    await this.#report(compartment, `exited-${wanted.run}`, told)
    return true
  }

  async #tellAhead(
    compartment: string,
    { run }: Step & { do: "tell ahead" },
    wanted: Desired | null
  ): Promise<boolean> {
    if (wanted === null) return false
    const told = { type: "ahead", run, at: wallMs(this.#parts.clock) } as const
    await this.#report(compartment, `ahead-${wanted.run}-${run}`, told)
    return true
  }

  async #start(compartment: string, wanted: Desired): Promise<boolean> {
    const { machine, orderOf } = this.#parts
    try {
      const archives = await this.#archives(compartment, wanted)
      await machine.start(orderOf(compartment, wanted, archives), (archive, how) =>
        this.#applied(compartment, archive, how)
      )
    } catch (error) {
      await this.#failed(compartment, wanted, error)
    }
    return true
  }

  /**
   * Reports a run that cannot start to its actor, which decides. Rejects with faults that neither the program nor its
   * agent can change.
   */
  async #failed(compartment: string, { run }: Desired, error: unknown): Promise<void> {
    if (error instanceof EngineFault || error instanceof Unreachable) throw error
    logNow("warn", "compartment", { compartment, run, error: messageOf(error) })
    const lasting = error instanceof LastingFault
    const told = { type: "failed", run, error: messageOf(error), at: wallMs(this.#parts.clock), lasting } as const
    await this.#parts.machine.remove(compartment)
    await this.#report(compartment, `failed-${run}`, told)
  }

  /** True if there is more to do. */
  async #keep(compartment: string, step: Step & { do: "keep" }, wanted: Desired, found: FoundContainer | null) {
    const { machine, running } = this.#parts
    // While files are unpacked, `adopt` would wait for them in the host's queue.
    if (this.#uploading.has(compartment)) return false
    try {
      const adopted = await machine.adopt(compartment)
      // The host died between the start of the container and that of its program.
      if (adopted === "awaiting") return this.#start(compartment, wanted)
    } catch (error) {
      await this.#failed(compartment, wanted, error)
      return true
    }
    const { run } = wanted
    const at = step.startedAt ?? found?.startedAt ?? wallMs(this.#parts.clock)
    const image = found?.image ?? wanted.image
    if (step.tell) await this.#report(compartment, `running-${run}`, { type: "running", run, at, image })
    running?.(compartment, wanted)
    const [next] = wanted.uploads
    if (next !== undefined) this.#upload(compartment, wanted, next)
    return false
  }

  /**
   * Unpacks the files of each compartment one after the other, outside of its rounds. The next round continues with the
   * next file.
   */
  #upload(compartment: string, wanted: Desired, next: Desired["uploads"][number]): void {
    if (this.#uploading.has(compartment)) return
    if (this.#uploading.size >= UPLOADS_AT_ONCE) return void this.#toUpload.add(compartment)
    this.#uploading.add(compartment)
    const unpack = async (): Promise<void> => {
      const [archive] = await this.#archives(compartment, { ...wanted, uploads: [next] })
      if (archive === undefined) return
      await this.#applied(compartment, archive.id, await this.#parts.machine.apply(compartment, archive))
    }
    const over = (isDone: boolean): void => {
      this.#uploading.delete(compartment)
      const waiting = [...this.#toUpload]
      this.#toUpload.clear()
      // A failed compartment waits for the next sweep.
      for (const one of isDone ? [compartment, ...waiting] : waiting) this.changed(one)
    }
    unpack().then(
      () => over(true),
      (error: unknown) => {
        logNow("warn", "compartment", { compartment, error: messageOf(error) })
        over(false)
      }
    )
  }

  async #archives(compartment: string, { uploads }: Desired): Promise<ReadonlyArray<Archive>> {
    const { archiveOf } = this.#parts
    const archives: Array<Archive> = []
    for (const upload of uploads) {
      try {
        archives.push(await archiveOf(compartment, upload))
      } catch (cause) {
        if (cause instanceof Unusable) {
          await this.#applied(compartment, upload.id, { ok: false, why: cause.message })
          continue
        }
        throw new Unreachable(`an archive could not be read: ${messageOf(cause)}`, { cause })
      }
    }
    return archives
  }

  #applied(compartment: string, upload: number, how: Applied): Promise<void> {
    const error = how.ok ? null : how.why
    return this.#report(compartment, `upload-${upload}`, { type: "upload", upload, error })
  }

  #report(compartment: string, what: string, told: Reported): Promise<void> {
    return this.#parts.report(`${compartment}-${what}`, compartment, told)
  }
}

/** A fault that no later try can solve. */
export class Unusable extends Error {
  override readonly name = "Unusable"
}

class Unreachable extends Error {
  override readonly name = "Unreachable"
}

export const refusedBy = ({ code, message }: Refusal): Error =>
  code === "not_found" ? new Error(message) : new Unreachable(`${code}: ${message}`)

export const newCommand = (): string => randomUUID()
