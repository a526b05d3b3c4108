import fc from "fast-check"
import { expect, test } from "vitest"
import { codePointsUpTo, isLongerThan } from "../../schemas/code-points.ts"

test("characters are counted as Unicode does, and no further than is asked", () => {
  const text = fc.string({ unit: "binary", maxLength: 20 })
  fc.assert(
    fc.property(text, fc.nat({ max: 20 }), (one, max) => {
      const length = Array.from(one).length
      expect([codePointsUpTo(one, max), isLongerThan(one, max)]).toEqual([Math.min(length, max + 1), length > max])
    })
  )
})

test("a text of the largest body is not counted whole", () => {
  let asked = 0
  const text = {
    length: 10_000_000,
    *[Symbol.iterator]() {
      for (;;) yield ((asked++, "a"))
    }
  } as unknown as string
  expect([isLongerThan(text, 100), asked]).toEqual([true, 101])
})
