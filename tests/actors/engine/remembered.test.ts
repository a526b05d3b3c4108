/** What an actor says to a command that comes again. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { reactionCommand } from "../../../actors/engine/command-ids.ts"
import { PASSING_MS, Remembered } from "../../../actors/engine/remembered.ts"

const BOUNDS = { command_memory_max: 4, command_memory_seconds: 60 }
const told = (set: string, seq: number, which = "pond.ripple-0", actor = "north") =>
  reactionCommand(set, seq, "pond", actor, which)
const of = (...ids: ReadonlyArray<string>): Remembered => {
  const remembered = new Remembered("pond", "north")
  ids.forEach((id, at) => remembered.add({ id, at, reply: id }, BOUNDS))
  return remembered
}
const known = (remembered: Remembered, id: string) => {
  const found = remembered.find(id, 0)
  return typeof found === "object" ? found.reply : found
}

test("the newest commands are known by their ids, and no older ones", () => {
  const remembered = of("a", "b", "c", "d", "e")
  expect(["a", "b", "e"].map((id) => known(remembered, id))).toEqual([undefined, "b", "e"])
  remembered.add({ id: "late", at: 70_000 }, BOUNDS)
  expect(remembered.find("e", 0)).toBeUndefined()
})

test("a command refused for a cause that may pass is known while an asker repeats it, another refusal for longer", () => {
  const remembered = new Remembered("pond", "north")
  for (const code of ["fills_pending_full", "origin_mismatch"])
    remembered.add({ id: code, at: 0, reply: { refused: { code, message: "" } } }, BOUNDS)
  const known = (at: number) =>
    ["fills_pending_full", "origin_mismatch"].map((id) => remembered.find(id, at) !== undefined)
  expect([known(0), known(PASSING_MS), known(PASSING_MS + 1)]).toEqual([
    [true, true],
    [true, true],
    [false, true]
  ])
  // Judged anew, its new reply counts.
  remembered.add({ id: "fills_pending_full", at: PASSING_MS + 1, reply: "done" }, BOUNDS)
  expect(remembered.find("fills_pending_full", 10 * PASSING_MS)).toMatchObject({ reply: "done" })
})

test("what a set of reactions told before its newest is passed, and crowds out nothing", () => {
  const ids = Array.from({ length: 500 }, (_, seq) => told("votes", seq + 1))
  const remembered = of("own", ...ids, told("votes", 500, "pond.ripple-1"))
  expect(known(remembered, "own")).toBe("own")
  expect(known(remembered, told("votes", 1))).toBe("passed")
  expect(known(remembered, told("votes", 500))).toBe(told("votes", 500))
  expect(known(remembered, told("votes", 500, "pond.ripple-1"))).toBe(told("votes", 500, "pond.ripple-1"))
  expect(remembered.find(told("votes", 500, "pond.dry-0"), 0)).toBeUndefined()
  expect(remembered.find(told("votes", 501), 0)).toBeUndefined()
  expect(remembered.find(told("others", 1), 0)).toBeUndefined()
})

test("a commit in which it only has a part says nothing of what it was told itself", () => {
  const remembered = of(told("votes", 9, "pond.ripple-0", "south"))
  expect(remembered.find(told("votes", 5), 0)).toBeUndefined()
})

test("a snapshot holds all of it", () => {
  const id = fc.oneof(
    fc.constantFrom("a", "b", "c", "d", "e", "f"),
    fc
      .tuple(fc.constantFrom("votes", "others"), fc.integer({ min: 1, max: 6 }), fc.constantFrom("north", "south"))
      .map(([set, seq, actor]) => told(set, seq, "pond.ripple-0", actor))
  )
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 30 }), fc.array(id, { maxLength: 30 }), (added, asked) => {
      const remembered = of(...added)
      const restored = new Remembered("pond", "north")
      restored.restore(JSON.parse(JSON.stringify(remembered.all)), BOUNDS)
      expect(asked.map((one) => known(restored, one))).toEqual(asked.map((one) => known(remembered, one)))
    })
  )
})
