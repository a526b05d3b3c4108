/**
 * A compartment's actor and a host that follows it, as pure functions, in random order: a host that dies between a step
 * and its telling, containers that end, are taken away or outlive it, commands at any moment.
 */
import fc from "fast-check"
import { expect, test } from "vitest"
import {
  decideChange,
  decideDelete,
  decideLift,
  decideMove,
  decideReported,
  decideRestart,
  decideStart,
  decideStop,
  decideSuspend
} from "../../../actors/compartment/decide.ts"
import { restartSeconds } from "../../../actors/compartment/decide-reports.ts"
import { type CompartmentValue, isThere } from "../../../actors/compartment/state.ts"
import { nextStep } from "../../../actors/runtime/step.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import type { ReporterWeight } from "../../../schemas/moderation/operations.ts"
import { BY, IMAGE, LONGEST_WAIT_MS, NAME, World } from "./world.ts"

const does: Readonly<Record<string, (world: World) => void>> = {
  start: (world) => world.decide(decideStart(world.seen, { by: BY })),
  stop: (world) => world.decide(decideStop(world.seen, { by: BY })),
  restart: (world) => world.decide(decideRestart(world.seen, { by: BY })),
  suspend: (world) => world.decide(decideSuspend(world.seen, { by: "report", reason: "spam" })),
  lift: (world) => world.decide(decideLift(world.seen, { by: "operator" })),
  follow: (world) => void world.follow(),
  "follow and die": (world) => void world.follow(false),
  "program ends": (world) => world.end(1),
  "container is taken away": (world) => void (world.container = null),
  "no start goes well": (world) => void (world.fault = "passing"),
  "what it is given is unusable": (world) => void (world.fault = "lasting"),
  "starts go well": (world) => void (world.fault = null),
  backup: (world) => world.backUp(),
  restore: (world) => world.restore(),
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
      const shouldRun = state.desired === "running" && state.suspensions.length === 0
      if (shouldRun && state.status !== "stopped") expect(state.status).toBe("running")
      if (state.suspensions.length > 0) expect(state.status).toBe("suspended")
    }),
    { numRuns: 3000 }
  )
})

test("a host that has begun a later start than a restored log knows ends it, and starts anew under a new number", () => {
  const world = new World()
  world.rest()
  world.backUp()
  does["restart"]?.(world)
  world.rest()
  expect(world.container).toMatchObject({ run: 2, state: "running" })
  world.restore()
  world.rest()
  expect(world.state).toMatchObject({ status: "running", restart_count: 0 })
  expect((world.state as CompartmentValue).notes.map(({ type }) => type)).toContain("exited")
  expect(new Set(world.starts).size).toBe(3)
  settled(world)
})

test("a program of before a backup runs on after a restore", () => {
  const world = new World()
  world.rest()
  world.backUp()
  world.restore()
  world.rest()
  expect([world.state, world.container]).toMatchObject([{ status: "running" }, { run: 1, state: "running" }])
})

test("a start that is ordered right after a restore is none of those since the backup", () => {
  const world = new World()
  world.rest()
  does["stop"]?.(world)
  world.rest()
  world.backUp()
  world.decide(decideChange(world.seen, { by: BY, name: null, command: "other", set: [], removed: [] }, LIMITS.runtime))
  does["start"]?.(world)
  world.rest()
  const lost = world.container?.run
  world.restore()
  does["start"]?.(world)
  world.rest()
  expect(world.container).toMatchObject({ state: "running" })
  expect(world.container?.run).not.toBe(lost)
})

test("whatever happened before, a deleted one leaves nothing behind", () => {
  fc.assert(
    fc.property(acts, (names) => {
      const world = new World()
      for (const name of names) does[name]?.(world)
      world.decide(decideDelete(world.state, { by: BY, confirm: NAME }))
      world.rest()
      expect([world.state?.status, world.container]).toEqual(["deleted", null])
      // A restore brings a deleted one back.
      for (const name of names) if (name !== "restore") does[name]?.(world)
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

const reported = (world: World, report: number, weight: ReporterWeight = "established"): number => {
  world.decide(decideReported(world.state, { reason: "spam", report }, weight))
  const { suspensions } = world.state as CompartmentValue
  return suspensions.filter(({ by }) => by === "report").length
}

test("reports alone count among reports, whatever else suspends", () => {
  const world = new World()
  for (let rule = 0; rule < 32; rule++)
    world.decide(decideSuspend(world.state, { by: `rule ${rule}`, reason: "it broke a rule" }))
  expect(reported(world, 1)).toBe(1)
})

test("as many reports as agents may make keep none of an operator's out, and have an end", () => {
  const world = new World()
  for (let report = 1; report <= 200; report++) reported(world, report)
  expect(reported(world, 201)).toBe(32)
  expect(reported(world, 202, "operator")).toBe(33)
  for (let report = 1; report <= 32; report++) world.decide(decideLift(world.state, { by: "report", report }))
  expect(world.state).toMatchObject({ suspensions: [{ by: "report", report: 202 }] })
  for (let report = 300; report < 500; report++) reported(world, report, "operator")
  expect(reported(world, 501, "operator")).toBe(64)
})

test("waits double from 30 s to half an hour, and begin anew after ten minutes of running", () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 50].map((count) => restartSeconds(count, LIMITS.runtime))).toEqual([
    30, 60, 120, 240, 480, 960, 1800, 1800, 1800
  ])
  const world = new World()
  const waits: Array<number> = []
  const counts: Array<number> = []
  const fail = (ranMs: number): void => {
    world.rest()
    world.pass(ranMs)
    world.end(1)
    world.rest()
    const { restart_at, status, restart_count } = world.state as CompartmentValue
    counts.push(restart_count)
    expect(status).toBe("backoff")
    waits.push(((restart_at ?? 0) - world.now) / 1000)
    world.pass((restart_at ?? 0) - world.now)
  }
  for (const ran of [0, 1000, 1000, 599_000, 600_000, 1000]) fail(ran)
  expect(waits).toEqual([30, 60, 120, 240, 30, 60])
  // Before its first restart there was none.
  expect(counts).toEqual([0, 1, 2, 3, 0, 1])
  world.rest()
  expect(world.state).toMatchObject({ status: "running", restart_count: 2 })
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
  const reported = (weight: ReporterWeight = "established") =>
    world.decide(decideReported(world.state, { reason: "spam" }, weight))
  const isSuspended = () => (world.state as CompartmentValue).suspensions.length > 0
  reported("none")
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
  world.decide(decideLift(world.state, { by: "operator" }))
  reported("operator")
  expect(isSuspended()).toBe(true)
})

test("a report's decision lifts what that report had suspended, however often it is carried out, and nothing else", () => {
  const world = new World()
  const reported = (report: number, weight: ReporterWeight = "operator") =>
    world.decide(decideReported(world.state, { reason: "spam", report }, weight))
  const lift = (report: number) => world.decide(decideLift(world.state, { by: "report", report }))
  const causes = () => (world.state as CompartmentValue).suspensions.map(({ report }) => report)
  reported(1)
  reported(2, "none")
  reported(3)
  reported(3)
  expect(causes()).toEqual([1, 3])
  // A stranger's, which suspended nothing: neither lifted nor cleared by its rejection.
  lift(2)
  expect(world.state).toMatchObject({ cleared: false })
  expect(causes()).toEqual([1, 3])
  lift(1)
  expect(causes()).toEqual([3])
  reported(4)
  lift(1)
  expect(causes()).toEqual([3, 4])
  lift(3)
  lift(4)
  expect(causes()).toEqual([])
  expect(world.state).toMatchObject({ cleared: true })
})

test("a suspension by a report of an older release, which names none, is lifted by any", () => {
  const world = new World()
  world.decide(decideSuspend(world.state, { by: "report", reason: "spam" }))
  world.decide(decideLift(world.state, { by: "report", report: 7 }))
  expect((world.state as CompartmentValue).suspensions).toEqual([])
})

test("what an agent's suspension stopped its reinstatement lifts, and nothing else", () => {
  const world = new World()
  world.decide(decideSuspend(world.state, { by: "report", reason: "spam" }))
  world.decide(decideLift(world.state, { by: "agent" }))
  expect((world.state as CompartmentValue).suspensions[0]?.by).toBe("report")
  world.decide(decideLift(world.state, { by: "report" }))
  world.decide(decideSuspend(world.state, { by: "agent", reason: "the agent was suspended" }))
  world.rest()
  world.decide(decideLift(world.state, { by: "agent" }))
  expect(world.state).toMatchObject({ suspensions: [], status: "stopped" })
})

test("what two suspended stays so until both have lifted it; an operator does not lift what is its agent's", () => {
  const world = new World()
  world.rest()
  world.decide(decideSuspend(world.state, { by: "agent", reason: "the agent was suspended" }))
  world.decide(decideSuspend(world.state, { by: "report", reason: "spam" }))
  world.decide(decideSuspend(world.state, { by: "report", reason: "spam again" }))
  world.rest()
  const causes = () => (world.state as CompartmentValue).suspensions.map(({ by }) => by)
  expect([world.state?.status, causes()]).toEqual(["suspended", ["agent", "report"]])
  world.decide(decideLift(world.state, { by: "agent" }))
  expect([world.state?.status, causes()]).toEqual(["suspended", ["report"]])
  expect(decideStart(world.state, { by: BY })).toMatchObject({ refused: { code: "compartment_suspended" } })
  world.decide(decideSuspend(world.state, { by: "agent", reason: "the agent was banned" }))
  world.decide(decideLift(world.state, { by: "operator" }))
  expect([world.state?.status, causes()]).toEqual(["suspended", ["agent"]])
  expect(decideLift(world.state, { by: "operator" })).toMatchObject({ refused: { code: "compartment_suspended" } })
  world.decide(decideLift(world.state, { by: "agent" }))
  expect([world.state?.status, causes()]).toEqual(["stopped", []])
})
