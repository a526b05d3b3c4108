/**
 * Makes one folder for all files of a test run and removes it at the end. A caller that names a folder removes it
 * itself. Files that take long to make are kept in `.hub/tests` for later runs: the template of Postgres (servers.ts)
 * and the compiled modules.
 *
 * A container engine that tests have shared is ended with the run. If a run was killed, the next one ends its engine.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { leftTestFolders, makeTestFolder, removeTestFolder } from "../../ops/launcher/test-folder.ts"
import { KEPT_FOLDER } from "./servers.ts"

/** The module is loaded only if tests started an engine, which most runs do not. */
async function endEngine(folder: string): Promise<void> {
  if (!existsSync(join(folder, "shared-engine"))) return
  const { endSharedEngine } = await import("../runtime/shared-engine.ts")
  await endSharedEngine(folder)
}

/** The module is loaded only if a killed run left something. */
async function endOthers(): Promise<void> {
  if ((await leftTestFolders()).length === 0) return
  const { endLeftOver } = await import("./left-over.ts")
  await endLeftOver()
}

export default async function setup(): Promise<() => Promise<void>> {
  await endOthers()
  const named = process.env["HUB_TEST_FOLDER"]
  const folder = named ?? (await makeTestFolder())
  process.env["HUB_TEST_FOLDER"] = folder
  process.env["HUB_TEST_PORTS"] ??= join(folder, "ports")
  process.env["NODE_COMPILE_CACHE"] = join(KEPT_FOLDER, "compiled")
  return async () => {
    await endEngine(folder)
    if (named === undefined) await removeTestFolder(folder)
  }
}
