/** What may become of a blob: by example, and by any order of what may happen to it. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { type BlobsAt, withBlobReferences } from "../../../actors/blob/naming.ts"
import { collecting, decideCollect, decideExpect, decidePurge } from "../../../actors/blob/decide.ts"
import { type BlobEvent, type BlobState, evolveBlob, NO_BLOB } from "../../../actors/blob/state.ts"
import type { Decision } from "../../../actors/engine/definition.ts"
import type { BlobRef } from "../../../schemas/blob/operations.ts"

const GRACE = 1000
const ID = "a".repeat(64)
const REF: BlobRef = { sha256: ID, size: 7 }
const NOTHING: Decision<BlobEvent> = { events: [] }

const folded = (state: BlobState, events: ReadonlyArray<BlobEvent> = []): BlobState => events.reduce(evolveBlob, state)

/** The blob as a record's decision leaves it. */
const renamed = (state: BlobState, before: ReadonlyArray<BlobRef>, after: ReadonlyArray<BlobRef>, at: number) => {
  const blobs: BlobsAt = new Map([[ID, { seq: 4, state }]])
  const decision = withBlobReferences(NOTHING, { before, after, blobs, at, graceMs: GRACE })
  if ("refused" in decision) return decision
  const events = (decision.companions ?? []).flatMap((companion) => companion.events) as ReadonlyArray<BlobEvent>
  return { decision, state: folded(state, events) }
}

const stateOf = (found: ReturnType<typeof renamed>): BlobState => {
  if ("refused" in found) throw new Error(found.refused.message)
  return found.state
}

const expected = (at: number): BlobState =>
  folded(NO_BLOB, decideExpect(NO_BLOB, { size: 7 }, { id: ID, at }, GRACE).events)

test("what is expected is waited for by a timer, and asked again soon it is so already", () => {
  const decision = decideExpect(NO_BLOB, { size: 7 }, { id: ID, at: 100 }, GRACE)
  expect(decision).toEqual({
    events: [{ type: "blob.expected", v: 1, size: 7, names: 0, until: 1100 }],
    timers: [{ name: "collect", at: 1100, of: { kind: "blob", id: ID } }]
  })
  const state = expected(100)
  expect(decideExpect(state, { size: 7 }, { id: ID, at: 600 }, GRACE)).toEqual(NOTHING)
  // Less than half of the time is left.
  expect(decideExpect(state, { size: 7 }, { id: ID, at: 601 }, GRACE).events).toMatchObject([{ until: 1601 }])
})

test("what is named is not collected; the last name that goes gives it its time again", () => {
  const once = stateOf(renamed(expected(0), [], [REF], 10))
  const twice = stateOf(renamed(once, [], [REF], 20))
  expect([once?.names, twice?.names]).toEqual([1, 2])
  expect(collecting(twice, { name: "collect", at: 1000 }, 5000)).toBe("another")
  const less = renamed(twice, [REF], [], 30)
  expect(less).toMatchObject({ state: { names: 1 }, decision: { timers: [] } })
  const none = renamed(stateOf(less), [REF], [], 40)
  expect(none).toMatchObject({
    state: { names: 0, until: 1040 },
    decision: { timers: [{ name: "collect", at: 1040 }] }
  })
  // The timer of the first upload is another's by now.
  expect(decideCollect(stateOf(none), { name: "collect", at: 1000 }, { id: ID, at: 1000, facts: 9 })).toEqual(NOTHING)
  expect(decideCollect(stateOf(none), { name: "collect", at: 1040 }, { id: ID, at: 1039, facts: 9 })).toMatchObject({
    refused: { code: "unavailable" }
  })
  expect(decideCollect(stateOf(none), { name: "collect", at: 1040 }, { id: ID, at: 1040, facts: 9 })).toMatchObject({
    events: [{ type: "blob.condemned", through: 9 }],
    timers: [{ name: "purge" }]
  })
})

test("what is condemned or gone is not named, and is expected anew behind its purge", () => {
  const condemned = folded(expected(0), [{ type: "blob.condemned", v: 1, size: 7, through: 9 }])
  for (const state of [condemned, NO_BLOB])
    expect(renamed(state, [], [REF], 10)).toMatchObject({ refused: { code: "unavailable" } })
  const again = decideExpect(condemned, { size: 7 }, { id: ID, at: 2000 }, GRACE)
  expect(again.events?.map(({ type }) => type)).toEqual(["blob.collected", "blob.expected"])
  expect(folded(condemned, again.events)).toEqual({ size: 7, names: 0, until: 3000, through: null })
  expect(decidePurge(condemned)).toEqual({ events: [{ type: "blob.collected", v: 1 }] })
  expect(decidePurge(expected(0))).toEqual(NOTHING)
})

test("a record that changes nothing of what it names writes nothing", () => {
  const state = stateOf(renamed(expected(0), [], [REF], 10))
  expect(renamed(state, [REF], [REF], 20)).toEqual({ decision: NOTHING, state })
  // A file and data of the same bytes are two names.
  expect(stateOf(renamed(state, [REF], [REF, REF], 20))).toMatchObject({ names: 2 })
})

test("whatever happens in whatever order, a name stands on bytes, and what has none ends", () => {
  const step = fc.constantFrom("expect", "name", "release", "timer", "purge")
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.integer({ min: 1, max: 700 })), { maxLength: 60 }), (steps) => {
      let state: BlobState = NO_BLOB
      let at = 0
      let names = 0
      const timers: Array<number> = []
      const heed = (decision: Decision<BlobEvent>) => {
        if ("refused" in decision) return
        for (const timer of decision.timers ?? []) if (timer.name === "collect") timers.push(timer.at)
        state = folded(state, decision.events)
      }
      for (const [what, later] of steps) {
        at += later
        if (what === "expect") heed(decideExpect(state, { size: 7 }, { id: ID, at }, GRACE))
        else if (what === "purge") heed(decidePurge(state))
        else if (what === "timer") {
          for (const due of timers.splice(0).toSorted((a, b) => a - b)) {
            if (due > at) timers.push(due)
            else heed(decideCollect(state, { name: "collect", at: due }, { id: ID, at, facts: 1 }))
          }
        } else if (what === "name" || names > 0) {
          const [before, after] = what === "name" ? [[], [REF]] : [[REF], []]
          const found = renamed(state, before, after, at)
          if ("refused" in found) continue
          names += what === "name" ? 1 : -1
          heed({ events: [], timers: "refused" in found.decision ? [] : (found.decision.timers ?? []) })
          state = found.state
        }
        expect(state?.names ?? 0).toBe(names)
        // Nobody is named on what is to be purged, and what has no name is waited for.
        if (names > 0) expect(state?.through).toBeNull()
        if (state !== null && state.through === null && names === 0) expect(timers).toContain(state.until)
      }
    })
  )
})
