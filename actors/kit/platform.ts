/** The parts of Node that metrics need. The HTTP server is only for scrapers. */
import { readdir } from "node:fs/promises"
import { createServer } from "node:http"
import { monitorEventLoopDelay } from "node:perf_hooks"
import type { CreateServer } from "../../schemas/runtime/metrics/listener.ts"
import type { Platform } from "../../schemas/runtime/metrics/process.ts"

export const platform: Platform & { readonly createServer: CreateServer } = {
  createServer,
  monitorEventLoopDelay,
  readdir
}
