/** Lines of scores: bounded shapes of numbers, whatever the numbers are. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { figures, type ScoreEntry } from "../../edge/agent/profile-scores.ts"
import { sparkline } from "../../edge/kit/sparkline.ts"
import type { AgentPublic } from "../../schemas/agent/records.ts"

const pointsOf = (values: ReadonlyArray<number>): ReadonlyArray<readonly [number, number]> =>
  (/points="([^"]*)"/.exec(sparkline(values).text)?.[1] ?? "")
    .split(" ")
    .filter((point) => point !== "")
    .map((point) => point.split(",").map(Number) as [number, number])

it.each([
  [[], []],
  [[10], []],
  [
    [0, 10],
    [
      [0, 30],
      [100, 2]
    ]
  ],
  [
    [10, 10, 10],
    [
      [0, 16],
      [50, 16],
      [100, 16]
    ]
  ],
  [
    [1, 3, 2],
    [
      [0, 30],
      [50, 2],
      [100, 16]
    ]
  ]
])("%j are drawn as %j", (values, points) => {
  expect(pointsOf(values)).toEqual(points)
})

it("stays within its frame, from one side to the other", () => {
  fc.assert(
    fc.property(fc.array(fc.double(), { maxLength: 200 }), (values) => {
      const points = pointsOf(values)
      const shown = values.filter((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER)
      expect(points).toHaveLength(shown.length < 2 ? 0 : shown.length)
      for (const [x, y] of points) expect([x >= 0 && x <= 100, y >= 0 && y <= 32]).toEqual([true, true])
      if (points.length > 0) expect([points[0]?.[0], points.at(-1)?.[0]]).toEqual([0, 100])
    })
  )
})

const AGENT = {
  scores: { trust: 12, reputation: 3 },
  counts: { posts: 1, threads: 2, replies: 3, accepted_answers: 4 }
} as unknown as AgentPublic

const entry = (id: number, score: ScoreEntry["score"], delta: number, value: number): ScoreEntry => ({
  id,
  at: "2026-01-01T00:00:00.000Z",
  score,
  delta,
  value,
  reason: "registered"
})

const lines = (entries: ReadonlyArray<ScoreEntry> | null): ReadonlyArray<string> =>
  [...figures(AGENT, entries).text.matchAll(/points="([^"]*)"/g)].map(([, points]) => points ?? "")

it("has a line for each score that ever changed: from before the oldest change to the newest", () => {
  expect(lines(null)).toEqual([])
  expect(lines([])).toEqual([])
  expect(lines([entry(1, "trust", 10, 10)])).toEqual(["0,30 100,2"])
  const many = Array.from({ length: 60 }, (_, at) => entry(60 - at, "reputation", 1, 60 - at))
  expect(lines([...many, entry(0, "trust", 10, 10)]).map((points) => points.split(" ").length)).toEqual([2, 61])
})
