/**
 * Timers are set before their commit: whatever becomes of it, those of a committed command stay. Over all orders. What is
 * heard of once, a timer or what follows from a commit, is not judged on an old state.
 */
import { Schema } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import { type EngineParts } from "../../../actors/engine/activation.ts"
import { reactionCommand, TIMER_COMMAND } from "../../../actors/engine/command-ids.ts"
import { isDue, wholeMs, write } from "../../../actors/engine/definition.ts"
import type { EventShape } from "../../../actors/log/commit.ts"
import { event } from "../../../actors/engine/events.ts"
import { type ActorOf, kind, type KindParts } from "../../../actors/kit/kind.ts"
import { Nothing, op } from "../../../schemas/operation.ts"
import { FiredTimer } from "../../../schemas/timer.ts"
import { waitFor } from "../../harness/index.ts"
import { activationOf, writeOf } from "./alone.ts"
import { ModelLog, partsOver } from "./simulation.ts"

interface Alarm {
  readonly due: number | null
  readonly rung: ReadonlyArray<number>
}
type Rung = EventShape & ({ readonly type: "alarm.set"; readonly due: number } | { readonly type: "alarm.rung" })

const declared = {
  "alarm.set": op({ input: Schema.Struct({ due: Schema.Number }), output: Nothing, askedBy: [] }),
  "alarm.ring": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  "alarm.ring_later": op({ input: FiredTimer, output: Nothing, askedBy: [] })
}

const alarm = kind<ActorOf<Alarm, Rung>, typeof declared>(
  {
    kind: "alarm",
    state: Schema.Struct({ due: Schema.NullOr(Schema.Number), rung: Schema.Array(Schema.Number) }),
    initial: { due: null, rung: [] },
    events: Schema.Union([event("alarm.set", 1, { due: Schema.Number }), event("alarm.rung", 1)]),
    evolve: (state, event) =>
      event.type === "alarm.set" ? { ...state, due: event.due } : { due: null, rung: [...state.rung, state.due ?? 0] }
  },
  declared,
  () => ({
    operations: {
      "alarm.set": write({
        decide: (_state, { due }) => ({
          events: [{ type: "alarm.set", v: 1, due }],
          timers: [{ name: "ring", at: due }]
        }),
        answer: () => null
      }),
      "alarm.ring": write({
        decide: (state, fired) =>
          state.due === null || !isDue(fired, state.due) ? { events: [] } : { events: [{ type: "alarm.rung", v: 1 }] },
        answer: () => null
      }),
      "alarm.ring_later": write({
        decide: (_state, { name, at = 0 }) => ({ events: [], timers: [{ name, at: at + 1 }] }),
        answer: () => null
      })
    }
  })
).make({} as KindParts)

/** As the server keeps them: one for each subject, and the subject ends in the time. */
class Schedule {
  readonly set = new Map<string, FiredTimer>()

  keep(name: string, at: number): Promise<void> {
    this.set.set(`${name}.${wholeMs(at)}`, { name, at: wholeMs(at) })
    return Promise.resolve()
  }
}

const step = fc.record({
  node: fc.nat(1),
  due: fc.integer({ min: 1, max: 4 }),
  outcome: fc.constantFrom("written" as const, "lost" as const, "refused" as const, "fired" as const)
})

test("a commit that is under way on the former owner as its timer fires on the new one: it comes again", async () => {
  const log = new ModelLog()
  const set: Array<{ readonly at: number; readonly again: number | undefined }> = []
  const landing = Promise.withResolvers<void>()
  const over = partsOver(log)
  const partsOf = (isFormer: boolean): EngineParts => ({
    ...over,
    log: {
      ...over.log,
      append: async (group) => {
        if (isFormer) await landing.promise
        return log.append(group)
      }
    },
    timers: {
      set: (_kind, _id, _name, at, more) => {
        set.push({ at, again: more?.again })
        return Promise.resolve()
      }
    },
    now: () => 1000
  })
  const former = activationOf(alarm, "a", partsOf(true))
  const ask = (activation: typeof former, id: string, op: string, input: unknown) =>
    activation.submit({ id, op, input, by: undefined, deadline: Infinity, trace: undefined }, writeOf(alarm, op))
  const setting = ask(former, "c1", "alarm.set", { due: 1000 })
  await waitFor(() => set.length === 1, { describe: "the timer" })
  const fired = { name: "ring", at: 1000 }
  const owner = activationOf(alarm, "a", partsOf(false))
  await ask(owner, `${TIMER_COMMAND}1`, "alarm.ring", fired)
  landing.resolve()
  await setting
  expect(set).toEqual([{ at: 1000, again: 31_000 }])
  await ask(owner, `${TIMER_COMMAND}2`, "alarm.ring", fired)
  const events = [...log.subjects.values()].flat().flatMap(({ commit }) => commit.events)
  expect(events.map(({ type }) => type)).toEqual(["alarm.set", "alarm.rung"])
})

test("what is committed last rings, once, and nothing else does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const log = new ModelLog()
      const schedule = new Schedule()
      let outcome: "written" | "lost" | "refused" | "fired" = "written"
      let clock = 0
      const over = partsOver(log)
      const parts: EngineParts = {
        ...over,
        log: {
          ...over.log,
          append: (group) => {
            if (outcome === "refused") return Promise.resolve({ ok: false, reason: "overloaded" })
            const result = log.append(group)
            return Promise.resolve(outcome === "lost" ? { ok: false, reason: "unknown" } : result)
          },
          read: (subject, after, max) => {
            // The line is there again.
            if (outcome === "lost") outcome = "written"
            return Promise.resolve(log.read(subject, after, max))
          }
        },
        timers: { set: (_kind, _id, name, at) => schedule.keep(name, at) },
        now: () => ++clock
      }
      const nodes = [activationOf(alarm, "a", parts), activationOf(alarm, "a", parts)] as const
      let commands = 0
      const ask = (node: number, op: string, input: unknown) =>
        (nodes[node] ?? nodes[0]).submit(
          {
            id: `${op === "alarm.ring" ? TIMER_COMMAND : "c"}${++commands}`,
            op,
            input,
            by: undefined,
            deadline: Number.POSITIVE_INFINITY,
            trace: undefined
          },
          writeOf(alarm, op)
        )
      let wanted: number | null = null
      let rings = 0
      const fire = async (node: number, timer: FiredTimer) => {
        schedule.set.delete(`${timer.name}.${timer.at}`)
        if (wanted === timer.at) {
          wanted = null
          rings++
        }
        await ask(node, "alarm.ring", timer)
      }
      for (const { node, due, outcome: what } of steps) {
        outcome = "written"
        const [first] = schedule.set.values()
        if (what === "fired") {
          if (first !== undefined) await fire(node, first)
          continue
        }
        outcome = what
        const answer = await ask(node, "alarm.set", { due })
        if ("data" in answer) wanted = due
      }
      outcome = "written"
      for (const timer of schedule.set.values()) await fire(0, timer)
      const [node] = nodes
      node.stale()
      await node.load()
      const { due, rung } = node.state as Alarm
      expect([due, rung.length, wanted]).toEqual([null, rings, null])
    }),
    { numRuns: 300 }
  )
})

const commandOf = (id: string, op: string, input: unknown) => ({
  id,
  op,
  input,
  by: undefined,
  deadline: Number.POSITIVE_INFINITY,
  trace: undefined
})

const REACTION = reactionCommand("set", 7, "alarm", "a", "alarm.ring-0")

test.each([
  ["a timer", `${TIMER_COMMAND}1`],
  ["what follows from a commit", REACTION]
])("%s that finds nothing to do in an old state is judged anew", async (_what, id) => {
  const parts = partsOver(new ModelLog())
  const [old, other] = [activationOf(alarm, "a", parts), activationOf(alarm, "a", parts)]
  await old.load()
  await other.submit(commandOf("c1", "alarm.set", { due: 5 }), writeOf(alarm, "alarm.set"))
  expect((old.state as Alarm).due).toBeNull()
  await old.submit(commandOf(id, "alarm.ring", { name: "ring", at: 5 }), writeOf(alarm, "alarm.ring"))
  expect((old.state as Alarm).rung).toEqual([5])
})

test("a timer that is set without a commit is set, and its command fails where it cannot be", async () => {
  const schedule = new Schedule()
  const log = new ModelLog()
  const ring = (set: EngineParts["timers"]["set"]) =>
    activationOf(alarm, "a", { ...partsOver(log), timers: { set } }).submit(
      commandOf(`${TIMER_COMMAND}1`, "alarm.ring_later", { name: "ring", at: 5 }),
      writeOf(alarm, "alarm.ring_later")
    )
  const failing = await ring(() => Promise.reject(new Error("no answer")))
  expect(failing).toMatchObject({ refused: { code: "unavailable" } })
  await ring((_kind, _id, name, at) => schedule.keep(name, at))
  expect([[...schedule.set.values()], log.subjects.size]).toEqual([[{ name: "ring", at: 6 }], 0])
})

test("what follows from a commit is asked again where the log does not say whether the state is old", async () => {
  const parts = partsOver(new ModelLog())
  const log = { ...parts.log, lastSeq: () => Promise.reject(new Error("no answer")) }
  const answer = await activationOf(alarm, "a", { ...parts, log }).submit(
    commandOf(REACTION, "alarm.ring", { name: "ring", at: 5 }),
    writeOf(alarm, "alarm.ring")
  )
  expect(answer).toMatchObject({ refused: { code: "unavailable" } })
})

test("a timer is the one that is waited for, or of an older release that does not say", () => {
  expect([
    isDue({ name: "ring", at: 5 }, 5),
    isDue({ name: "ring", at: 5 }, 4.2),
    isDue({ name: "ring", at: 5 }, 6),
    isDue({ name: "ring" }, 6)
  ]).toEqual([true, true, false, true])
})
