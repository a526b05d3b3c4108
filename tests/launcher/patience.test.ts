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

test("a pause of the machine counts as one look", () => {
  const { now, pass } = clock()
  const isOver = patience(1000, now)
  pass(600_000)
  expect(isOver()).toBe(false)
  pass(899)
  expect(isOver()).toBe(false)
  for (let looks = 0; looks < 7; looks++) {
    pass(100)
    expect(isOver()).toBe(false)
  }
  pass(100)
  expect(isOver()).toBe(true)
})
