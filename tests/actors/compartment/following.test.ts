/**
 * A compartment's actor and a host that follows it, as pure functions, in random order: a host that dies between a step
 * and its telling, containers that end, are taken away or outlive it, commands at any moment.
 */
import fc from "fast-check"
import { expect, test } from "vitest"
import {
  decideChange,
  type Decided,
  decideDelete,
  decideLift,
  decideMove,
  decideReported,
  decideRestart,
  decideStart,
  decideStop,
  decideSuspend
} from "../../../actors/compartment/decide.ts"
import { decideDue, decideReport, restartSeconds } from "../../../actors/compartment/decide-reports.ts"
import { evolveCompartment } from "../../../actors/compartment/evolve.ts"
import { desiredOf } from "../../../actors/compartment/record.ts"
import { type CompartmentState, type CompartmentValue, isThere } from "../../../actors/compartment/state.ts"
import type { Found } from "../../../actors/runtime/host/types.ts"
import { nextStep } from "../../../actors/runtime/step.ts"
import type { Reported } from "../../../schemas/compartment/operations.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const ID = "cmp_00000000000000000000"
const HOST = "host_0000000000000000"
const BY = { type: "agent", agent: "HX-1", operator: false } as const
const NAME = "one"
/** Of the host, newer than the one that it was placed with. */
const IMAGE = "compartment:2"
const START = 1_800_000_000_000
const STEPS_TO_REST = 40
const LONGEST_WAIT_MS = LIMITS.runtime.restart_max_seconds * 1000

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
class World {
  state: CompartmentState = born()
  now = START
  container: Found | null = null
  begun = 0
  /** Why its host starts nothing: what is gone the next time, or what stays until the compartment is changed. */
  fault: "passing" | "lasting" | null = null
  /** Runs that were begun, in their order. */
  readonly starts: Array<number> = []
  #timers: Array<number> = []

  decide(decision: Decided): void {
    if ("refused" in decision) return
    for (const event of decision.events) this.state = evolveCompartment(this.state, event, { at: this.now })
    this.#timers.push(...(decision.timers ?? []).map(({ at }) => at))
  }

  report(told: Reported): void {
    this.decide(decideReport(this.state, { host: HOST, told }, { at: this.now }, LIMITS.runtime))
  }

  pass(ms: number): void {
    this.now += ms
    for (const at of this.#timers.filter((one) => one <= this.now))
      this.decide(decideDue(this.state, { name: "restart", at }, { at: this.now }))
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

const does: Readonly<Record<string, (world: World) => void>> = {
  start: (world) => world.decide(decideStart(world.state, { by: BY })),
  stop: (world) => world.decide(decideStop(world.state, { by: BY })),
  restart: (world) => world.decide(decideRestart(world.state, { by: BY })),
  suspend: (world) => world.decide(decideSuspend(world.state, { by: "report", reason: "spam" })),
  lift: (world) => world.decide(decideLift(world.state, { by: "operator" })),
  follow: (world) => void world.follow(),
  "follow and die": (world) => void world.follow(false),
  "program ends": (world) => world.end(1),
  "container is taken away": (world) => void (world.container = null),
  "no start goes well": (world) => void (world.fault = "passing"),
  "what it is given is unusable": (world) => void (world.fault = "lasting"),
  "starts go well": (world) => void (world.fault = null),
  "a second": (world) => world.pass(1000),
  "a quarter of an hour": (world) => world.pass(900_000)
}

const acts = fc.array(fc.constantFrom(...Object.keys(does)), { maxLength: 60 })

const settled = (world: World): void => {
  world.rest()
  const { state } = world
  if (!isThere(state)) throw new Error("it is gone")
  const runs = world.container?.state === "running"
  if (state.status === "running") expect(state.image).toBe(IMAGE)
  if (state.status === "running") expect([runs, world.container?.run]).toEqual([true, state.run])
  else expect(runs).toBe(false)
}

test("whatever happens in whatever order, nothing is begun twice, and host and actor agree at the end", () => {
  fc.assert(
    fc.property(acts, (names) => {
      const world = new World()
      for (const name of names) does[name]?.(world)
      settled(world)
      expect(new Set(world.starts).size).toBe(world.starts.length)
      // What should run does, once every wait is over: but what its host could never start waits to be told.
      world.fault = null
      if (world.state?.status === "failed") {
        expect(names).toContain("what it is given is unusable")
        does["start"]?.(world)
      }
      world.pass(LONGEST_WAIT_MS)
      settled(world)
      const state = world.state as CompartmentValue
      const shouldRun = state.desired === "running" && state.suspended === null
      if (shouldRun && state.status !== "stopped") expect(state.status).toBe("running")
      if (state.suspended !== null) expect(state.status).toBe("suspended")
    }),
    { numRuns: 3000 }
  )
})

test("whatever happened before, a deleted one leaves nothing behind", () => {
  fc.assert(
    fc.property(acts, (names) => {
      const world = new World()
      for (const name of names) does[name]?.(world)
      world.decide(decideDelete(world.state, { by: BY, confirm: NAME }))
      world.rest()
      expect([world.state?.status, world.container]).toEqual(["deleted", null])
      for (const name of names) does[name]?.(world)
      expect([world.state?.status, world.container]).toEqual(["deleted", null])
    }),
    { numRuns: 500 }
  )
})

test("a host that was given up runs nothing of it any more, and is not believed", () => {
  fc.assert(
    fc.property(acts, (names) => {
      const world = new World()
      for (const name of names) does[name]?.(world)
      world.decide(decideMove(world.state, { host: "host_1111111111111111" }))
      const before = world.state
      for (const told of [
        { type: "running", run: 1, at: world.now },
        { type: "exited", run: 1, exit_code: 0, oom_killed: false, why: "program", at: world.now },
        { type: "removed" }
      ] as const)
        world.report(told)
      expect(world.state).toEqual(before)
      // To the host there is no such compartment.
      while (world.container !== null) {
        const step = nextStep({ wanted: null, found: world.container, begun: world.begun })
        if (step.do === "stop") world.end(137)
        else if (step.do === "remove") world.container = null
        else throw new Error(`it would ${step.do}`)
      }
    }),
    { numRuns: 500 }
  )
})

test("waits double from 30 s to half an hour, and begin anew after ten minutes of running", () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 50].map((count) => restartSeconds(count, LIMITS.runtime))).toEqual([
    30, 60, 120, 240, 480, 960, 1800, 1800, 1800
  ])
  const world = new World()
  const waits: Array<number> = []
  const fail = (ranMs: number): void => {
    world.rest()
    world.pass(ranMs)
    world.end(1)
    world.rest()
    const { restart_at, status } = world.state as CompartmentValue
    expect(status).toBe("backoff")
    waits.push(((restart_at ?? 0) - world.now) / 1000)
    world.pass((restart_at ?? 0) - world.now)
  }
  for (const ran of [0, 1000, 1000, 599_000, 600_000, 1000]) fail(ran)
  expect(waits).toEqual([30, 60, 120, 240, 30, 60])
})

test("what its host can never start is not tried again until somebody says so", () => {
  const world = new World()
  world.fault = "lasting"
  world.rest()
  world.pass(LONGEST_WAIT_MS)
  world.rest()
  expect(world.state).toMatchObject({ status: "failed", desired: "running", restart_at: null, last_error: "no start" })
  expect(world.starts).toEqual([])
  world.fault = null
  does["start"]?.(world)
  world.rest()
  expect(world.state).toMatchObject({ status: "running", run: 2, restart_count: 0, last_error: null })
})

test("what its host could not start this time is tried again", () => {
  const world = new World()
  world.fault = "passing"
  world.rest()
  expect(world.state).toMatchObject({ status: "backoff", last_error: "no start" })
  world.fault = null
  world.pass(LONGEST_WAIT_MS)
  world.rest()
  expect(world.state).toMatchObject({ status: "running", run: 2 })
})

test.each([
  ["stop", "stopped"],
  ["suspend", "suspended"]
])("what waits for its next start does not come when it is told to %s", (name, status) => {
  const world = new World()
  world.rest()
  world.end(1)
  world.rest()
  does[name]?.(world)
  world.rest()
  world.pass(LONGEST_WAIT_MS)
  world.rest()
  expect([world.state?.status, world.container]).toEqual([status, null])
})

test("what an operator has let go on no report stops, until what it runs changes", () => {
  const world = new World()
  const reported = (isEstablished = true) =>
    world.decide(decideReported(world.state, { reason: "spam" }, isEstablished))
  const isSuspended = () => (world.state as CompartmentValue).suspended !== null
  reported(false)
  expect(isSuspended()).toBe(false)
  reported()
  expect(isSuspended()).toBe(true)
  world.decide(decideLift(world.state, { by: "report" }))
  reported()
  expect(isSuspended()).toBe(false)
  world.decide(decideSuspend(world.state, { by: "operator", reason: "looked at again" }))
  world.decide(decideLift(world.state, { by: "operator" }))
  const change = { by: BY, name: null, command: "exec other", set: [], removed: [] }
  world.decide(decideChange(world.state, change, LIMITS.runtime))
  reported()
  expect(isSuspended()).toBe(true)
})

test("what an agent's suspension stopped its reinstatement lifts, and nothing else", () => {
  const world = new World()
  world.decide(decideSuspend(world.state, { by: "report", reason: "spam" }))
  world.decide(decideLift(world.state, { by: "agent" }))
  expect((world.state as CompartmentValue).suspended?.by).toBe("report")
  world.decide(decideLift(world.state, { by: "report" }))
  world.decide(decideSuspend(world.state, { by: "agent", reason: "the agent was suspended" }))
  world.rest()
  world.decide(decideLift(world.state, { by: "agent" }))
  expect(world.state).toMatchObject({ suspended: null, status: "stopped" })
})
