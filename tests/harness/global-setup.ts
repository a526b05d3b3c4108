/**
 * One folder per test run for everything tests leave on disk, removed at its end. A caller that names a folder removes it
 * itself. What takes long to make is kept in `.hub/tests` from run to run: the template of Postgres (servers.ts) and the
 * compiled modules.
 *
 * A container engine that tests have shared ends with the run; what a killed run has left ends with the next.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { leftTestFolders, makeTestFolder, removeTestFolder } from "../../ops/launcher/test-folder.ts"
import { KEPT_FOLDER } from "./servers.ts"

/** Most runs never load what it takes. */
async function endEngine(folder: string): Promise<void> {
  if (!existsSync(join(folder, "shared-engine"))) return
  const { endSharedEngine } = await import("../runtime/shared-engine.ts")
  await endSharedEngine(folder)
}

/** Few runs are killed. */
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
