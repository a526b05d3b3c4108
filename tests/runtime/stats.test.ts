/** The share of a core that a compartment used: of one start alone, and never below nothing. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { Groups } from "../../actors/runtime/host/cgroup.ts"
import { shareOf, StatsMeter } from "../../actors/runtime/host/stats.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stats-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const groups: Groups = { generation: 2, of: () => folder }
const used = (micros: number): Promise<void> => writeFile(join(folder, "cpu.stat"), `usage_usec ${micros}\n`)
/** No process has it: there is no traffic to read. */
const start = (startedAt: number) => ({ id: "one", pid: 2 ** 30, startedAt })

/** So that the reading before is old enough to be measured from. */
const LATER_MS = 300

test("is measured from the reading before, where that is of the same start", async () => {
  const meter = new StatsMeter()
  await used(1_000_000)
  expect((await meter.read(start(1), groups, 0)).cpu_percent).toBe(0)
  await delay(LATER_MS)
  await used(1_100_000)
  expect((await meter.read(start(1), groups, 0)).cpu_percent).toBeGreaterThan(0)
})

test("begins anew where the counter went back, and where the same container was started again", async () => {
  const meter = new StatsMeter()
  await used(1_000_000)
  await meter.read(start(1), groups, 0)
  await delay(LATER_MS)
  await used(10_000)
  expect((await meter.read(start(1), groups, 0)).cpu_percent).toBe(0)
  await delay(LATER_MS)
  // By then it has used more than at the reading before, which says nothing of this start.
  await used(2_000_000)
  expect((await meter.read(start(2), groups, 0)).cpu_percent).toBe(0)
})

test("is nothing where the group has gone between two looks", () => {
  expect(shareOf({ at: 0, cpuMicros: 500_000 }, { at: 1000, cpuMicros: 0 })).toBe(0)
  expect(shareOf({ at: 0, cpuMicros: 0 }, { at: 1000, cpuMicros: 500_000 })).toBe(50)
})
