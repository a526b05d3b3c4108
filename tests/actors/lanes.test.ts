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

/** Works of clients that end when they are told to. */
const world = (max: number, waitingMax: number) => {
  const lanes = new Lanes(max, waitingMax)
  const [begun, refused]: [Array<string>, Array<string>] = [[], []]
  const ends: Array<() => void> = []
  const send = (name: string): void => {
    const work = lanes.run(
      () => {
        begun.push(name)
        return new Promise<void>((resolve) => void ends.push(resolve))
      },
      name.slice(0, 1)
    )
    work.catch(() => refused.push(name))
  }
  const endAll = async (count: number): Promise<void> => {
    for (let ended = 0; ended < count; ended++) {
      await expect.poll(() => ends.length).toBeGreaterThan(0)
      ends.shift()?.()
    }
  }
  return { send, endAll, begun, refused }
}

test("clients take turns: one with many works does not hold up the others", async () => {
  const { send, endAll, begun, refused } = world(1, 10)
  for (const name of ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]) send(name)
  await endAll(7)
  await expect.poll(() => begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"])
  expect(refused).toEqual([])
})

test("where all places to wait are taken, another client gets that of the newest work of the longest line", async () => {
  const { send, endAll, begun, refused } = world(1, 4)
  for (const name of ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "c1", "b2", "d1", "e1"]) send(name)
  await expect.poll(() => refused.toSorted()).toEqual(["a3", "a4", "a5", "a6", "b2", "e1"])
  await endAll(5)
  await expect.poll(() => begun).toEqual(["a1", "a2", "b1", "c1", "d1"])
})
