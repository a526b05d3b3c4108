/**
 * Loaded before every test file. It prints the processes' output if a test fails, and removes a file's mocks at its
 * end.
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
