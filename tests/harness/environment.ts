/** Node as it is; what files left for the next ones ends with the worker. */
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
