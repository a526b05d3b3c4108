/** What operators do about the roadmap, as decisions and what they fold into: by example, and over any history. */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { Decision } from "../../../actors/engine/definition.ts"
import {
  decideAdd,
  decideChange,
  decideRemove,
  EMPTY,
  evolveRoadmap,
  itemOf,
  listed,
  type RoadmapEvent,
  type RoadmapState
} from "../../../actors/roadmap/decide.ts"
import type { RoadmapGiven } from "../../../schemas/roadmap/operations.ts"
import { ROADMAP_STATUSES } from "../../../schemas/roadmap/records.ts"

const ITEM: RoadmapGiven = {
  title: "Threads",
  description: "To talk in.",
  status: "planned",
  version: null,
  thread_id: null,
  position: 10
}

const after = (state: RoadmapState, decision: Decision<RoadmapEvent, number>, at = 1000): RoadmapState => {
  if ("refused" in decision) throw new Error(decision.refused.message)
  return decision.events.reduce((before, event) => evolveRoadmap(before, event, { at }), state)
}
const fieldOf = (decision: Decision<RoadmapEvent, number>): unknown =>
  "refused" in decision ? (decision.refused.details?.["field"] ?? decision.refused.code) : "done"

test("items are listed by position, then id", () => {
  let state = after(EMPTY, decideAdd(EMPTY, ITEM))
  state = after(state, decideAdd(state, { ...ITEM, position: 5 }))
  state = after(state, decideAdd(state, { ...ITEM, position: 10 }))
  expect(listed(state).map(({ id }) => id)).toEqual([2, 1, 3])
})

test("a change keeps what it does not name, and says when", () => {
  const state = after(EMPTY, decideAdd(EMPTY, ITEM))
  const changed = after(state, decideChange(state, { id: 1, change: { status: "shipped", version: "1.2" } }), 61_000)
  expect(itemOf(changed, 1)).toEqual({
    ...ITEM,
    id: 1,
    status: "shipped",
    version: "1.2",
    updated_at: "1970-01-01T00:01:01.000Z"
  })
})

test("a change that changes nothing is no event", () => {
  const state = after(EMPTY, decideAdd(EMPTY, ITEM))
  expect(decideChange(state, { id: 1, change: { title: ITEM.title, version: null } })).toEqual({ events: [], reply: 1 })
})

test.each([
  ["title", { title: "" }],
  ["title", { title: " " }],
  ["title", { title: "x".repeat(201) }],
  ["title", { title: "half \ud800" }],
  ["description", { description: "x".repeat(1001) }],
  ["version", { version: "" }],
  ["version", { version: "x".repeat(33) }],
  ["thread_id", { thread_id: 0 }],
  ["thread_id", { thread_id: Number.NaN }],
  ["position", { position: -1 }],
  ["position", { position: Number.NaN }],
  ["position", { position: 1.5 }]
])("%s: %j is refused, new or changed", (field, change) => {
  const state = after(EMPTY, decideAdd(EMPTY, ITEM))
  expect(fieldOf(decideAdd(state, { ...ITEM, ...change }))).toBe(field)
  expect(fieldOf(decideChange(state, { id: 1, change }))).toBe(field)
})

test.each([
  [{ title: " " }, { field: "title", rule: "min", min: 1 }],
  [{ title: "x".repeat(201) }, { field: "title", rule: "max", max: 200 }],
  [{ version: "x".repeat(33) }, { field: "version", rule: "max", max: 32 }],
  [{ position: 10_000_000 }, { field: "position", rule: "max", max: 1_000_000 }],
  [{ position: -1 }, { field: "position", rule: "min", min: 0 }]
])("%j is refused with its field and bound", (change, details) => {
  expect(decideAdd(EMPTY, { ...ITEM, ...change })).toMatchObject({ refused: { details } })
})

test("what is not there can be neither changed nor removed; it is read whole, so it has an end", () => {
  expect(fieldOf(decideChange(EMPTY, { id: 1, change: {} }))).toBe("not_found")
  expect(fieldOf(decideRemove(EMPTY, { id: 1 }))).toBe("not_found")
  let state = EMPTY
  for (let count = 0; count < 100; count++) state = after(state, decideAdd(state, ITEM))
  expect(fieldOf(decideAdd(state, ITEM))).toBe("title")
  expect(fieldOf(decideAdd(after(state, decideRemove(state, { id: 7 })), ITEM))).toBe("done")
})

const step = fc.oneof(
  fc.record({ add: fc.record({ status: fc.constantFrom(...ROADMAP_STATUSES), position: fc.nat(9) }) }),
  fc.record({ change: fc.nat(6), to: fc.record({ position: fc.nat(9) }) }),
  fc.record({ remove: fc.nat(6) })
)

test("whatever operators do, an id is given once, and the list has each item once, in order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const given = new Set<number>()
      let state = EMPTY
      for (const one of steps) {
        const decision =
          "add" in one
            ? decideAdd(state, { ...ITEM, ...one.add })
            : "change" in one
              ? decideChange(state, { id: one.change, change: one.to })
              : decideRemove(state, { id: one.remove })
        if ("refused" in decision) continue
        if ("add" in one) {
          expect(given.has(decision.reply ?? 0)).toBe(false)
          given.add(decision.reply ?? 0)
        }
        state = after(state, decision)
      }
      const items = listed(state)
      expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
      for (const [index, item] of items.entries()) {
        const next = items[index + 1]
        if (next !== undefined)
          expect(item.position < next.position || (item.position === next.position && item.id < next.id)).toBe(true)
      }
    })
  )
})
