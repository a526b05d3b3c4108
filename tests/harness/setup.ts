/** Loaded before every test file: a failed test shows what its processes wrote. */
import { afterEach } from "vitest"
import { openLogs } from "./logs.ts"

afterEach(({ task }) => {
  if (task.result?.state !== "fail") return
  const logs = openLogs()
  if (logs !== "") console.error(`processes of "${task.name}":\n${logs}`)
})
