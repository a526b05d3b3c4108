/** Own words turn: each is in use for days on end, and rests for weeks. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { bankOn, CYCLE_DAYS, inUse, IN_USE_DAYS } from "../../../actors/registration/questions/bank/rotation.ts"
import { deploymentBanks } from "../../../ops/bench/questions/measure.ts"

const texts = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, index) => `text ${index}`)
const name = (text: string): string => text

describe("a list of own words", () => {
  it("has each text in use for IN_USE_DAYS on end in a cycle, and away for the rest of it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 12, max: 90 }), fc.integer({ min: 0, max: 30_000 }), (count, day) => {
        const days = Array.from(
          { length: 2 * CYCLE_DAYS },
          (_, index) => new Set(inUse(texts(count), day + index, name))
        )
        for (const text of texts(count)) {
          const used = days.map((set) => set.has(text))
          const changes = used.filter((is, index) => index > 0 && is !== used[index - 1]).length
          expect(changes).toBeLessThanOrEqual(4)
          const inCycle = used.slice(0, CYCLE_DAYS).filter(Boolean).length
          expect(Math.abs(inCycle - IN_USE_DAYS)).toBeLessThanOrEqual(1)
          expect(used.slice(CYCLE_DAYS)).toEqual(used.slice(0, CYCLE_DAYS))
        }
        for (const set of days) expect(set.size).toBeGreaterThanOrEqual(Math.floor((count * IN_USE_DAYS) / CYCLE_DAYS))
      }),
      { numRuns: 60 }
    )
  })

  it("of few texts does not turn, nor do words that stand in the source", () => {
    expect(inUse(texts(11), 5, name)).toEqual(texts(11))
    expect(bankOn(OUR_BANK, 5)).toEqual(OUR_BANK)
  })

  it("changes from one day to the next, the same on every node", () => {
    for (const bank of deploymentBanks().values()) {
      expect(bankOn(bank, 100)).toEqual(bankOn(bank, 100))
      const [today, tomorrow] = [100, 101].map((day) => [...bankOn(bank, day).wording.clauses.values()].flat())
      const left = (today ?? []).filter((text) => !(tomorrow ?? []).includes(text)).length
      expect(left).toBeGreaterThan(0)
      expect(left / (today?.length ?? 1)).toBeLessThan(0.15)
    }
  })
})
