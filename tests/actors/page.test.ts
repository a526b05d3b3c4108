/** The total of a list agrees with the page beside it, whatever came between the two reads. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { totalBeside } from "../../actors/tables/page.ts"

test.each([
  [{ counted: 1, shown: 0, page: 1 }, 0],
  [{ counted: 0, shown: 1, page: 1 }, 1],
  [{ counted: 3, shown: 10, page: 1 }, 10],
  [{ counted: 25, shown: 10, page: 2 }, 25],
  [{ counted: 25, shown: 4, page: 3 }, 24],
  [{ counted: 25, shown: 0, page: 3 }, 20],
  [{ counted: 7, shown: 0, page: 3 }, 7]
])("%j of ten a page", ({ counted, shown, page }, total) => {
  expect(totalBeside(counted, shown, { page, per_page: 10 })).toBe(total)
})

test("a list that nothing changes keeps its total on every page", () => {
  fc.assert(
    fc.property(
      fc.nat(100),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      (total, per_page, page) => {
        const shown = Math.max(0, Math.min(per_page, total - (page - 1) * per_page))
        expect(totalBeside(total, shown, { page, per_page })).toBe(total)
      }
    )
  )
})
