import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./tests/harness/sequencer.ts"
import { isCampaign } from "./tests/support/rounds.ts"

const ALL = ["tests/**/*.test.ts"]
/** They put something else in the place of the process's timers or randomness: nothing else may run by that. */
const ALONE = ["tests/sdk/verify-flood.test.ts", "tests/sdk/verify-runtimes.test.ts"]
/**
 * They have pages in a browser, which gives up what it is loading when an address of the machine comes or goes. Tests of
 * containers make such addresses: nothing of both runs at the same time.
 */
const PAGES = [
  "tests/html/**/*.test.ts",
  "tests/fill/*.test.ts",
  "tests/api/{feed,library,roadmap,sitemap}.test.ts",
  "tests/edge/feed.test.ts"
]
/** No registry can be reached: testcontainers does without its published reaper, and finds ports where they are bound. */
const CONTAINERS_ENV = { TESTCONTAINERS_RYUK_DISABLED: "true", TESTCONTAINERS_HOST_OVERRIDE: "127.0.0.1" }
/** What takes long: whole flows under kills, searches by lot, what is measured. `npm run campaign` lists them. */
const CAMPAIGNS = ["tests/campaign/*.test.ts"]
/** Each starts systems of its own, of some gigabytes together. */
const WORKERS_MAX = 3

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "hub",
          include: ALL,
          exclude: [...ALONE, ...PAGES, ...(isCampaign() ? [] : CAMPAIGNS)],
          env: CONTAINERS_ENV,
          sequence: { groupOrder: 0 }
        }
      },
      { extends: true, test: { name: "pages", include: PAGES, exclude: ALONE, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: "alone", include: ALONE, isolate: true, sequence: { groupOrder: 2 } } }
    ],
    globalSetup: ["tests/harness/global-setup.ts"],
    setupFiles: ["tests/harness/setup.ts"],
    // Node loads the sources as it does in the product: nothing is transformed, and modules are shared by all files.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Tests start processes and send them signals, so workers are processes. Files share them, with their modules and
    // what one file left for the next (`lent.ts`).
    pool: "forks",
    // As edges have it. With three workers on two cores, threads of the collector only take turns with the others:
    // without them the same files take 8 % less processor time.
    execArgv: ["--max-semi-space-size=32", "--single-threaded-gc"],
    isolate: false,
    environment: "./tests/harness/environment.ts",
    // One more than the cores: a third of a file's time is waiting, for leases, restarts and windows. Waiting costs
    // little (wait.ts): three workers on two cores take 7 % more processor time for the same files than two.
    maxWorkers: Math.min(WORKERS_MAX, availableParallelism() + 1),
    sequence: { sequencer: LongestFirst },
    bail: 0,
    retry: 0,
    // Bounds for what hangs, not for what is slow: no test may depend on the pace of the machine.
    expect: { poll: { timeout: 900_000 } },
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 300_000
  }
})
