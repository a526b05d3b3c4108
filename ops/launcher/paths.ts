/** Where the launcher finds the project and keeps what every data folder may share. */
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..")

/** Binaries that were fetched once for this checkout. */
export const sharedBinDir = join(projectRoot, ".hub", "bin")

/** Of a data folder, where nothing else is said: the older part of its log. */
export const archiveIn = (folder: string): string => join(folder, "archive")

export function dataFolder(env: NodeJS.ProcessEnv): string {
  return resolve(projectRoot, env["HUB_DATA"] || ".hub")
}
