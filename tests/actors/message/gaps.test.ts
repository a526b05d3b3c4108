/** Numbers of messages that the log does not have: the same however the log is cut into batches. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { gapsBy, JUMP_MIN, type SettledNumber } from "../../../actors/message/gaps.ts"

const AT = "2026-01-01T00:00:00.000Z"
const sent = (id: number): SettledNumber => ({ id, at: AT, voided: false })
const voided = (id: number): SettledNumber => ({ id, at: AT, voided: true })

/** The gaps after several batches, each applied as the projection does. */
const gapsOf = (batches: ReadonlyArray<ReadonlyArray<SettledNumber>>): ReadonlyArray<number> => {
  const gaps = new Set<number>()
  let highest = 0
  for (const batch of batches) {
    const { opened, closed } = gapsBy(highest, batch)
    for (const id of closed) gaps.delete(id)
    for (const id of opened.keys()) gaps.add(id)
    highest = Math.max(highest, ...batch.flatMap(({ id, voided: isVoid }) => (isVoid ? [] : [id])))
  }
  return [...gaps].toSorted((one, other) => one - other)
}

test("a number below the highest is a gap until it is a message or given up", () => {
  expect(gapsOf([[sent(4)]])).toEqual([1, 2, 3])
  expect(gapsOf([[sent(4), sent(2)], [voided(1)]])).toEqual([3])
  expect(gapsOf([[sent(1), sent(2), sent(3)]])).toEqual([])
})

test("a jump that a restore makes is no gap", () => {
  expect(gapsOf([[sent(1)], [sent(JUMP_MIN + 2), sent(JUMP_MIN + 3)]])).toEqual([])
  expect(gapsOf([[sent(1)], [sent(JUMP_MIN + 1)]])).toHaveLength(JUMP_MIN - 1)
})

test("how the log is cut into batches makes no difference", () => {
  const log = fc
    .uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 })
    .map((ids) =>
      ids.map((id, index) =>
        index > 0 && id < Math.max(...ids.slice(0, index)) && id % 3 === 0 ? voided(id) : sent(id)
      )
    )
  fc.assert(
    fc.property(log, fc.array(fc.nat(30), { maxLength: 5 }), (all, cuts) => {
      const ends = [...new Set([...cuts, all.length])].toSorted((one, other) => one - other)
      const batches = ends.map((end, index) => all.slice(index === 0 ? 0 : ends[index - 1], end))
      expect(gapsOf(batches)).toEqual(gapsOf([all]))
      const top = Math.max(...all.flatMap(({ id, voided: isVoid }) => (isVoid ? [] : [id])))
      const there = new Set(all.map(({ id }) => id))
      expect(gapsOf(batches)).toEqual(
        Array.from({ length: top }, (_, index) => index + 1).filter((id) => !there.has(id))
      )
    })
  )
})
