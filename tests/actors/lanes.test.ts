/** So many at once, the others in line, and no more. */
import { expect, test } from "vitest"
import { Lanes } from "../../actors/kit/lanes.ts"

test("works go in the order they came, so many at once; where the line is full they are refused", async () => {
  const lanes = new Lanes(2, 2)
  const begun: Array<number> = []
  const ends: Array<() => void> = []
  const works = [0, 1, 2, 3].map((index) =>
    lanes.run(async () => {
      begun.push(index)
      await new Promise<void>((resolve) => void (ends[index] = resolve))
      if (index === 1) throw new Error("failed")
      return index
    })
  )
  await expect(lanes.run(() => Promise.resolve())).rejects.toThrow("Too much")
  expect(begun).toEqual([0, 1])
  ends[1]?.()
  await expect(works[1]).rejects.toThrow("failed")
  await expect.poll(() => begun).toEqual([0, 1, 2])
  ends[0]?.()
  await expect.poll(() => begun).toEqual([0, 1, 2, 3])
  ends[2]?.()
  ends[3]?.()
  expect(await Promise.all([works[0], works[2], works[3]])).toEqual([0, 2, 3])
  expect(await lanes.run(() => Promise.resolve("free"))).toBe("free")
})
