/** The places of the project and of the files that data folders share. */
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..")

/** Binaries that were fetched once for this checkout. */
export const sharedBinDir = join(projectRoot, ".hub", "bin")

/** The default place of the older part of a data folder's log. */
export const archiveIn = (folder: string): string => join(folder, "archive")

export function dataFolder(env: NodeJS.ProcessEnv): string {
  return resolve(projectRoot, env["HUB_DATA"] || ".hub")
}
