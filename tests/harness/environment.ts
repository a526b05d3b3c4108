/** Node as it is; what files left for the next ones ends with the worker. */
import type { Environment } from "vitest/runtime"
import { endIdle } from "./lent.ts"

export default {
  name: "hub",
  viteEnvironment: "ssr",
  setup: () => ({ teardown: endIdle })
} satisfies Environment
