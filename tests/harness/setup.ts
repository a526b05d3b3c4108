/**
 * Loaded before every test file: a failed test shows what its processes wrote, and what a file has put in the place of
 * something real ends with it.
 */
import { afterAll, afterEach, vi } from "vitest"
import { openLogs } from "./logs.ts"

afterEach(({ task }) => {
  if (task.result?.state !== "fail") return
  const logs = openLogs()
  if (logs !== "") console.error(`processes of "${task.name}":\n${logs}`)
})

afterAll(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})
