/** Events of another release: whoever meets one stops before it, and says so. */
import { Schema } from "effect"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { KINDS } from "../../../actors/process/kinds.ts"
import { type EngineParts, type Outcome } from "../../../actors/engine/activation.ts"
import { write } from "../../../actors/engine/definition.ts"
import type { EventShape, LogEntry } from "../../../actors/log/commit.ts"
import { foldCommit, UnknownEvent } from "../../../actors/engine/fold.ts"
import type { Activation } from "../../../actors/engine/activation.ts"
import { decodeEvent, event, type EventUnion, inventoryOf, MisshapenEvent } from "../../../actors/engine/events.ts"
import { type ActorOf, type AnyDefinition, kind, type KindParts } from "../../../actors/kit/kind.ts"
import { whatIf } from "../../../ops/replay/what-if.ts"
import { evolved, replay } from "../../../ops/replay/fold.ts"
import { Nothing, op } from "../../../schemas/operation.ts"
import { activationOf, writeOf } from "./alone.ts"
import { ModelLog, partsOver } from "./simulation.ts"

const unknownTo = (type: string): ReadonlyArray<EventShape> => [
  { type, v: 99 },
  { type: "of.tomorrow", v: 1 },
  { type, v: 0 },
  { type, v: 1.5 },
  { type: "toString", v: 1 }
]

describe.each(
  KINDS.filter(({ fold }) => Object.keys(fold.events).length > 0).map(({ fold }) => [fold.kind, fold] as const)
)("events of %s", (_kind, fold) => {
  const [type = ""] = Object.keys(fold.events)

  test("that this release does not know end the fold", () => {
    for (const event of unknownTo(type)) {
      const commit = { v: 1, id: "c", op: "o", at: 1, events: [event] } as const
      expect(() => foldCommit(fold, fold.initial, commit, "a"), JSON.stringify(event)).toThrow(UnknownEvent)
      expect(() => evolved(fold, "a", fold.initial, { commit })).toThrow(`${event.type}@${event.v}`)
    }
  })
})

interface Added extends EventShape {
  readonly type: "sum.added" | "sum.doubled"
  readonly by?: number
}

const ADDED = event("sum.added", 1, { by: Schema.Int })

const declared = {
  "sum.add": op({ input: Schema.Struct({ by: Schema.Int }), output: Schema.Number, askedBy: [] }),
  "sum.double": op({ input: Nothing, output: Schema.Number, askedBy: [] })
}

const sum = (events: EventUnion): AnyDefinition =>
  kind<ActorOf<number, Added>, typeof declared>(
    {
      kind: "sum",
      state: Schema.Number,
      initial: 0,
      events,
      evolve: (state, event) => (event.type === "sum.added" ? state + (event.by ?? 0) : state * 2)
    },
    declared,
    () => ({
      operations: {
        "sum.add": write({
          decide: (_state, { by }) => ({ events: [{ type: "sum.added", v: 1, by }] }),
          answer: (state) => state
        }),
        "sum.double": write({
          decide: () => ({ events: [{ type: "sum.doubled", v: 1 }] }),
          answer: (state) => state
        })
      }
    })
  ).make({} as KindParts)

const OLDER = sum(Schema.Union([ADDED]))
const NEWER = sum(Schema.Union([ADDED, event("sum.doubled", 1)]))

const newWorld = () => {
  const log = new ModelLog()
  let unknown = 0
  const parts: EngineParts = {
    ...partsOver(log),
    now: () => 0,
    eventUnknown: () => void unknown++
  }
  let commands = 0
  const ask = (activation: Activation, op: string, input: unknown = null): Promise<Outcome> => {
    const operation = writeOf(activation.definition, op)
    return activation.submit(
      { id: `c${++commands}`, op, input, by: undefined, deadline: 1, trace: undefined },
      operation
    )
  }
  const entries = (): ReadonlyArray<LogEntry> => [...log.subjects.values()].flat()
  return { parts, ask, entries, unknown: () => unknown }
}

describe("an actor of an older release", () => {
  beforeEach(() => void vi.spyOn(process.stderr, "write").mockReturnValue(true))
  afterEach(() => void vi.restoreAllMocks())

  test("is not to be had once a newer one has written to its log, and says so once; a newer one goes on", async () => {
    const { parts, ask, entries, unknown } = newWorld()
    const [older, newer] = [activationOf(OLDER, "a", parts), activationOf(NEWER, "a", parts)]
    expect(await ask(older, "sum.add", { by: 3 })).toEqual({ data: 3 })
    expect(await ask(newer, "sum.double")).toEqual({ data: 6 })
    for (let tries = 0; tries < 3; tries++) expect(await ask(older, "sum.add", { by: 1 })).toEqual({ elsewhere: true })
    await expect(older.load()).rejects.toThrow("sum.doubled@1")
    expect([older.ready, older.state, unknown(), vi.mocked(process.stderr.write).mock.calls.length]).toEqual([
      false,
      3,
      1,
      1
    ])
    expect(vi.mocked(process.stderr.write).mock.calls[0]?.[0]).toContain('"unknown":"sum.doubled@1"')
    expect(await ask(newer, "sum.add", { by: 1 })).toEqual({ data: 7 })
    expect(entries()).toHaveLength(3)
  })

  test("writes nothing that it could not read itself", async () => {
    const { parts, ask, entries } = newWorld()
    const confused: AnyDefinition = { ...NEWER, events: OLDER.events }
    expect(await ask(activationOf(confused, "a", parts), "sum.double")).toMatchObject({
      refused: { code: "internal_error" }
    })
    expect(entries()).toEqual([])
  })

  test("cannot be replayed past what it does not know, nor asked what if", async () => {
    const { parts, ask, entries } = newWorld()
    const newer = activationOf(NEWER, "a", parts)
    await ask(newer, "sum.add", { by: 1 })
    await ask(newer, "sum.double")
    const [first] = entries()
    await expect(replay(entries(), OLDER, "a", null)).rejects.toThrow(UnknownEvent)
    expect(await replay(entries(), OLDER, "a", { seq: first?.seq ?? 0 })).toHaveLength(1)
    const kindOfOlder = { fold: OLDER, state: Schema.Unknown, format: 0, events: null, make: () => OLDER }
    const past = { kind: kindOfOlder, id: "a", entries: entries(), until: null }
    expect(() =>
      whatIf(past, { op: "sum.add", input: { by: 1 }, at: 1, facts: null }, {} as KindParts["config"])
    ).toThrow(UnknownEvent)
  })

  test("an evolve that answers nothing is a fault, not a state", () => {
    const silent = { ...OLDER, evolve: () => undefined }
    expect(() => foldCommit(silent, 0, { at: 1, events: [{ type: "sum.added", v: 1 }] }, "a")).toThrow(TypeError)
  })
})

describe("declared events", () => {
  const events = Schema.Union([ADDED, event("sum.added", 2, { by: Schema.String }), event("sum.doubled", 1)])

  test("make the inventory: the newest version of each type", () => {
    expect(inventoryOf(events)).toEqual({ "sum.added": 2, "sum.doubled": 1 })
  })

  test.each([
    [{ type: "sum.added", v: 1, by: 5 }],
    [{ type: "sum.added", v: 2, by: "five" }],
    [{ type: "sum.doubled", v: 1 }],
    [{ type: "sum.doubled", v: 1, added: "by a newer release" }],
    // Of another release: whether it may be met at all is the inventory's question.
    [{ type: "sum.halved", v: 1 }]
  ])("%j is well shaped", (given) => {
    expect(() => decodeEvent("sum", events, given)).not.toThrow()
  })

  test.each([
    [{ type: "sum.added", v: 1, by: "five" }, "sum: sum.added@1: by: "],
    [{ type: "sum.added", v: 1 }, "sum: sum.added@1: by: "]
  ])("%j is not, and its field is named", (given, told) => {
    expect(() => decodeEvent("sum", events, given)).toThrow(MisshapenEvent)
    expect(() => decodeEvent("sum", events, given)).toThrow(told)
  })
})
