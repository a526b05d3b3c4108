import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: ["tests/harness/global-setup.ts"],
    setupFiles: ["tests/harness/setup.ts"],
    // Tests start processes and send them signals: only a process of their own keeps files apart.
    pool: "forks",
    maxWorkers: 2,
    bail: 0,
    retry: 0,
    testTimeout: 30_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000
  }
})
