import { expect, test } from "vitest"
import { patience } from "../../ops/launcher/patience.ts"

const clock = () => {
  let now = 1000
  const pass = (ms: number): void => {
    now += ms
  }
  return { now: () => now, pass }
}

test("a wait is over when it has looked for so long", () => {
  const { now, pass } = clock()
  const isOver = patience(1000, now)
  const seen: Array<boolean> = []
  for (let looks = 0; looks < 20; looks++) {
    pass(50)
    seen.push(isOver())
  }
  expect(seen).toEqual([...Array<boolean>(19).fill(false), true])
})

test.each([
  ["of a short wait, as one look of 30 s", 120_000, 30_000],
  ["of a long wait, as a tenth of it", 600_000, 60_000]
])("a pause of the machine counts, %s", (_counts, ms, counted) => {
  const { now, pass } = clock()
  const isOver = patience(ms, now)
  pass(3_600_000)
  expect(isOver()).toBe(false)
  pass(counted)
  expect(isOver()).toBe(false)
  for (let left = ms - 2 * counted - 10_000; left > 0; left -= 10_000) {
    pass(10_000)
    expect(isOver()).toBe(false)
  }
  pass(10_000)
  expect(isOver()).toBe(true)
})

test("long looks count as long as they are", () => {
  const { now, pass } = clock()
  const isOver = patience(30_000, now)
  pass(20_000)
  expect(isOver()).toBe(false)
  pass(20_000)
  expect(isOver()).toBe(true)
})
