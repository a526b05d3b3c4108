import { defineConfig } from "vitest/config"
import { LongestFirst } from "./tests/harness/sequencer.ts"

const ALL = ["tests/**/*.test.ts"]
/** Under a clock of its own, which nothing else in its process may be set by. */
const OWN_CLOCK = ["tests/contract/lease-watch.test.ts"]

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "hub", include: ALL, exclude: OWN_CLOCK } },
      { extends: true, test: { name: "clock", include: OWN_CLOCK, isolate: true } }
    ],
    globalSetup: ["tests/harness/global-setup.ts"],
    setupFiles: ["tests/harness/setup.ts"],
    // Tests start processes and send them signals, so workers are processes. Files share them, with their modules and
    // what one file left for the next (`lent.ts`).
    pool: "forks",
    isolate: false,
    environment: "./tests/harness/environment.ts",
    // One more than the cores of the smallest machine: half of what takes long waits for a lease, a restart or a
    // window.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    bail: 0,
    retry: 0,
    // Bounds for what hangs, not for what is slow: no test may depend on the pace of the machine.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 300_000
  }
})
