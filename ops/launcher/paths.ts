/** Paths of the project and of files that data folders share. */
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..")

/** The folder of binaries that were fetched once for this checkout. */
export const sharedBinDir = join(projectRoot, ".hub", "bin")

/** The default folder for the archive: the older part of the log. */
export const archiveIn = (folder: string): string => join(folder, "archive")

export function dataFolder(env: NodeJS.ProcessEnv): string {
  return resolve(projectRoot, env["HUB_DATA"] || ".hub")
}
