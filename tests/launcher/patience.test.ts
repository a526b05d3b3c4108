import { afterEach, expect, test, vi } from "vitest"
import { patience } from "../../ops/launcher/patience.ts"

afterEach(() => vi.restoreAllMocks())

const clock = () => {
  let now = 1000
  vi.spyOn(performance, "now").mockImplementation(() => now)
  return (ms: number) => {
    now += ms
  }
}

test("a wait is over when it has looked for so long", () => {
  const pass = clock()
  const isOver = patience(1000)
  const seen: Array<boolean> = []
  for (let looks = 0; looks < 20; looks++) {
    pass(50)
    seen.push(isOver())
  }
  expect(seen).toEqual([...Array<boolean>(19).fill(false), true])
})

test("a pause of the machine counts as one look", () => {
  const pass = clock()
  const isOver = patience(1000)
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
