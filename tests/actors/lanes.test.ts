/** So many at once, the others in lines by client, and no more. */
import { expect, test } from "vitest"
import { Lanes } from "../../actors/kit/lanes.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { standingClock } from "../harness/clock.ts"

test("works go in the order they came, so many at once; where the line is full they are refused", async () => {
  const lanes = new Lanes(machineClock, 2, 2)
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

/** Works that end when they are told to. Each is named by its client and a number. */
const world = (max: number, waitingMax: number) => {
  const clock = standingClock()
  const lanes = new Lanes(clock, max, waitingMax)
  const [begun, refused]: [Array<string>, Array<string>] = [[], []]
  const ends = new Map<string, () => void>()
  const send = (name: string, answeredBy = Number.POSITIVE_INFINITY): void => {
    const work = lanes.run(
      () => {
        begun.push(name)
        return new Promise<void>((resolve) => void ends.set(name, resolve))
      },
      { client: name.slice(0, 1), answeredBy }
    )
    work.catch(() => refused.push(name))
  }
  /** Ends the work, which has taken `ms` since the last one ended. */
  const end = async (name: string, ms: number): Promise<void> => {
    await expect.poll(() => ends.has(name)).toBe(true)
    clock.move(ms)
    ends.get(name)?.()
    ends.delete(name)
    await turns()
  }
  return { send, end, begun, refused, clock }
}

/** As many turns of the event loop as the end of a work, and the beginning of the next, take. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => void setImmediate(resolve))
}

test("whoever took the least time goes first: one with many works does not hold up the others", async () => {
  const { send, end, begun, refused } = world(1, 10)
  for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) send(name)
  for (const name of ["a1", "c1", "b1", "a2", "b2", "a3"]) await end(name, 300)
  expect(begun).toEqual(["a1", "c1", "b1", "a2", "b2", "a3"])
  expect(refused).toEqual([])
})

test("a client with cheap works goes before those with costly ones, until their time is forgotten", async () => {
  const { send, end, begun, clock } = world(1, 10)
  for (const name of ["a1", "b1"]) send(name)
  await end("a1", 3000)
  await end("b1", 20)
  for (const name of ["a2", "b2", "a3", "b3", "c1", "b4"]) send(name)
  for (const name of ["a2", "b2", "b3", "b4", "c1"]) await end(name, 20)
  expect(begun.slice(2)).toEqual(["a2", "b2", "b3", "b4", "c1", "a3"])
  await end("a3", 20)
  clock.move(20 * 60_000)
  for (const name of ["d1", "e1", "e2", "a4"]) send(name)
  await end("d1", 20)
  await expect.poll(() => begun.at(-1)).toBe("a4")
})

test("many new clients do not hold up one that is known for a cheap work", async () => {
  const { send, end, begun } = world(1, 10)
  send("a1")
  await end("a1", 30)
  for (const name of ["b1", "c1", "d1", "a2", "a3"]) send(name)
  for (const name of ["b1", "a2", "a3", "c1", "d1"]) await end(name, 100)
  expect(begun).toEqual(["a1", "b1", "a2", "a3", "c1", "d1"])
})

test("one place is kept for clients that took little time", async () => {
  const { send, end, begun, clock } = world(3, 10)
  for (const name of ["a1", "a2"]) send(name)
  clock.move(600)
  for (const name of ["a3", "b1"]) send(name)
  await turns()
  expect(begun).toEqual(["a1", "a2", "b1"])
  await end("b1", 0)
  expect(begun).toEqual(["a1", "a2", "b1"])
  await end("a1", 0)
  expect(begun).toEqual(["a1", "a2", "b1", "a3"])
})

test("where all places to wait are taken, another client gets that of the newest work of the longest line", async () => {
  const { send, end, begun, refused } = world(1, 4)
  for (const name of ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "c1", "b2", "d1", "e1"]) send(name)
  await expect.poll(() => refused.toSorted()).toEqual(["a3", "a4", "a5", "a6", "b2", "e1"])
  await end("a1", 300)
  send("a7")
  send("f1")
  await expect.poll(() => refused.slice(6)).toEqual(["a7"])
  for (const name of ["b1", "c1", "d1", "f1"]) await end(name, 10)
  expect(begun).toEqual(["a1", "b1", "c1", "d1", "f1", "a2"])
})

test("a work is not begun once its asker has been answered", async () => {
  const { send, end, begun, refused, clock } = world(1, 4)
  const now = clock.currentTimeMillisUnsafe()
  send("a1")
  send("b1", now + 100)
  send("c1", now + 101)
  await end("a1", 100)
  expect([begun, refused]).toEqual([["a1", "c1"], ["b1"]])
})
