/**
 * One folder per test run for everything tests leave on disk, removed at its end. The Postgres template is made in it
 * by the first test file that needs one, so that runs of pure tests pay nothing. Whoever names a folder removes it.
 *
 * A container engine that tests have shared ends with the run.
 *
 * Half of what it costs to start a node of the product is the compilation of its modules: the first that starts keeps
 * what came of it for all the others, and for the test files themselves.
 */
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { makeTestFolder } from "../../ops/launcher/test-folder.ts"

/** Most runs never load what it takes. */
async function endEngine(folder: string): Promise<void> {
  if (!existsSync(join(folder, "shared-engine"))) return
  const { endSharedEngine } = await import("../runtime/shared-engine.ts")
  await endSharedEngine(folder)
}

export default async function setup(): Promise<() => Promise<void>> {
  const named = process.env["HUB_TEST_FOLDER"]
  const folder = named ?? (await makeTestFolder())
  process.env["HUB_TEST_FOLDER"] = folder
  process.env["HUB_TEST_PORTS"] ??= join(folder, "ports")
  process.env["NODE_COMPILE_CACHE"] = join(folder, "compiled")
  return async () => {
    await endEngine(folder)
    if (named === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
