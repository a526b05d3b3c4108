/** A compartment's actor and a host that follows it, as pure functions: what would be containers are values. */
import { type Decided } from "../../../actors/compartment/decide.ts"
import { decideDue, decideReport } from "../../../actors/compartment/decide-reports.ts"
import { seenSince } from "../../../actors/compartment/since-restore.ts"
import { evolveCompartment } from "../../../actors/compartment/evolve.ts"
import { desiredOf } from "../../../actors/compartment/record.ts"
import { type CompartmentState, isThere } from "../../../actors/compartment/state.ts"
import type { FoundContainer } from "../../../actors/runtime/host/types.ts"
import { nextStep } from "../../../actors/runtime/step.ts"
import type { Reported } from "../../../schemas/compartment/operations.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const ID = "cmp_00000000000000000000"
const HOST = "host_0000000000000000"
export const BY = { type: "agent", agent: "HX-1", operator: false } as const
export const NAME = "one"
/** Of the host, newer than the one that it was placed with. */
export const IMAGE = "compartment:2"
const START = 1_800_000_000_000
const STEPS_TO_REST = 40
export const LONGEST_WAIT_MS = LIMITS.runtime.restart_max_seconds * 1000

const born = (): CompartmentState =>
  evolveCompartment(
    null,
    {
      type: "compartment.created",
      v: 1,
      agent: BY.agent,
      human: null,
      owner: null,
      name: NAME,
      command: "true",
      image: "i",
      host: HOST,
      secrets: [],
      hub_key: null,
      terms: "t"
    },
    { at: START }
  )

/** A machine that has no engine: what would be containers are values, and each start is counted. */
export class World {
  state: CompartmentState = born()
  now = START
  container: FoundContainer | null = null
  begun = 0
  /** Why its host starts nothing: what is gone the next time, or what stays until the compartment is changed. */
  fault: "passing" | "lasting" | null = null
  /** Runs that were begun, in their order. */
  readonly starts: Array<number> = []
  #timers: Array<number> = []
  #backup: { readonly state: CompartmentState; readonly timers: ReadonlyArray<number> } | null = null
  /** When the log was restored last, in Unix ms; `null` before that. */
  #restoredAt: number | null = null

  /** The state as decisions see it. */
  get seen(): CompartmentState {
    return this.#restoredAt === null ? this.state : seenSince(0)(this.state, this.#restoredAt)
  }

  backUp(): void {
    this.#backup = { state: this.state, timers: [...this.#timers] }
  }

  /** The log becomes as it was at the backup. What the host has begun since stays. */
  restore(): void {
    if (this.#backup === null) return
    this.state = this.#backup.state
    this.#timers = [...this.#backup.timers]
    this.#restoredAt = this.now
    this.pass(1)
  }

  decide(decision: Decided): void {
    if ("refused" in decision) return
    for (const event of decision.events) this.state = evolveCompartment(this.state, event, { at: this.now })
    this.#timers.push(...(decision.timers ?? []).map(({ at }) => at))
  }

  report(told: Reported): void {
    this.decide(decideReport(this.seen, { host: HOST, told }, { at: this.now }, LIMITS.runtime))
  }

  pass(ms: number): void {
    this.now += ms
    for (const at of this.#timers.filter((one) => one <= this.now))
      this.decide(decideDue(this.seen, { name: "restart", at }, { at: this.now }))
    this.#timers = this.#timers.filter((one) => one > this.now)
  }

  /** One step of the host. `told`: it lives long enough to tell of it. Whether there was anything to do. */
  follow(told = true): boolean {
    const wanted = isThere(this.state) ? desiredOf(this.state) : null
    const step = nextStep({ wanted, found: this.container, begun: this.begun })
    switch (step.do) {
      case "nothing":
        return false
      case "start":
        if (this.fault === null) this.#start(wanted?.run ?? 0)
        else if (told) this.#fail(wanted?.run ?? 0, this.fault === "lasting")
        return told
      case "keep":
        if (step.tell && told)
          this.report({ type: "running", run: wanted?.run ?? 0, at: this.now, image: this.container?.image ?? "" })
        return step.tell
      case "stop":
        this.end(137)
        return true
      case "remove":
        this.container = null
        return true
      case "destroy":
        this.container = null
        this.begun = 0
        if (told) this.report({ type: "removed" })
        return told
      case "tell ahead":
        if (told) this.report({ type: "ahead", run: step.run, at: this.now })
        return told
      case "tell exit": {
        const { exitCode: exit_code, oomKilled: oom_killed, why } = step
        const run = wanted?.run ?? 0
        if (told) this.report({ type: "exited", run, exit_code, oom_killed, why, at: step.at ?? this.now })
        return told
      }
    }
  }

  #fail(run: number, lasting: boolean): void {
    this.report({ type: "failed", run, error: "no start", at: this.now, lasting })
  }

  #start(run: number): void {
    if (this.container?.state === "running") throw new Error("a second copy was started")
    // One that was made and not started is gone on with; it is the same start.
    if (this.container === null) this.starts.push(run)
    this.begun = run
    this.container = {
      compartment: ID,
      run,
      slot: 0,
      image: IMAGE,
      state: "running",
      exitCode: null,
      oomKilled: false,
      startedAt: this.now,
      finishedAt: null
    }
  }

  end(exitCode: number): void {
    if (this.container?.state !== "running") return
    this.container = { ...this.container, state: "exited", exitCode, finishedAt: this.now }
  }

  rest(): void {
    for (let steps = 0; steps < STEPS_TO_REST; steps++) if (!this.follow()) return
    throw new Error("the host finds no rest")
  }
}
