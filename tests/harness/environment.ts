/** Vitest's environment of Node. It ends the systems that test files left for later ones when the worker ends. */
import type { Environment } from "vitest/runtime"
import { endIdle } from "./lent.ts"
import { endTenants } from "./tenants.ts"

export default {
  name: "hub",
  viteEnvironment: "ssr",
  setup: () => ({
    teardown: async () => {
      await endIdle()
      await endTenants()
    }
  })
} satisfies Environment
