import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./tests/harness/sequencer.ts"
import { campaignRounds } from "./tests/support/rounds.ts"

const ALL = ["tests/**/*.test.ts"]
/** They put something else in the place of the process's clock, timers or randomness: nothing else may run by that. */
const ALONE = [
  "tests/contract/lease-watch.test.ts",
  "tests/sdk/verify-flood.test.ts",
  "tests/sdk/verify-runtimes.test.ts"
]
/** They run compartments: what an engine does for each takes both cores, and leases of others end for nothing meanwhile. */
const COMPARTMENTS = ["tests/runtime/*.test.ts", "tests/chaos/compartments.test.ts"]
/** Whole flows under kills: the same promise as of tests/chaos, tried by each feature, for as long as one likes. */
const CAMPAIGNS = ["tests/campaign/*.test.ts"]
/** Fourteen containers under load are more than a small machine has room for beside anything else. */
const CLUSTER = ["tests/deploy/*.test.ts"]

/** Each starts systems of its own, of some gigabytes together. */
const WORKERS_MAX = 3
const WITH_COMPARTMENTS_MAX = 2

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "compartments",
          include: COMPARTMENTS,
          maxWorkers: WITH_COMPARTMENTS_MAX,
          sequence: { groupOrder: 0 }
        }
      },
      {
        extends: true,
        test: { name: "cluster", include: CLUSTER, maxWorkers: 1, sequence: { groupOrder: 1 } }
      },
      {
        extends: true,
        test: {
          name: "hub",
          include: ALL,
          exclude: [...ALONE, ...COMPARTMENTS, ...CLUSTER, ...(campaignRounds() === null ? CAMPAIGNS : [])],
          sequence: { groupOrder: 2 }
        }
      },
      { extends: true, test: { name: "alone", include: ALONE, isolate: true, sequence: { groupOrder: 3 } } }
    ],
    globalSetup: ["tests/harness/global-setup.ts"],
    setupFiles: ["tests/harness/setup.ts"],
    // Tests start processes and send them signals, so workers are processes. Files share them, with their modules and
    // what one file left for the next (`lent.ts`).
    pool: "forks",
    isolate: false,
    environment: "./tests/harness/environment.ts",
    // One more than the cores: half of what takes long waits for a lease, a restart or a window. More than that only
    // take each other's time, until leases end for nothing and are taken over again and again.
    maxWorkers: Math.min(WORKERS_MAX, availableParallelism() + 1),
    sequence: { sequencer: LongestFirst },
    bail: 0,
    retry: 0,
    // Bounds for what hangs, not for what is slow: no test may depend on the pace of the machine.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 300_000
  }
})
