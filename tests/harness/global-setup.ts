/**
 * One folder per test run for everything tests leave on disk, removed at its end. The Postgres template is made in it
 * by the first test file that needs one, so that runs of pure tests pay nothing. Whoever names a folder removes it.
 *
 * Half of what it costs to start a node of the product is the compilation of its modules: the first that starts keeps
 * what came of it for all the others, and for the test files themselves.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { makeTestFolder } from "../../ops/launcher/test-folder.ts"

export default async function setup(): Promise<() => void> {
  const named = process.env["HUB_TEST_FOLDER"]
  const folder = named ?? (await makeTestFolder())
  process.env["HUB_TEST_FOLDER"] = folder
  process.env["HUB_TEST_PORTS"] ??= join(folder, "ports")
  process.env["NODE_COMPILE_CACHE"] = join(folder, "compiled")
  return () => {
    if (named === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
