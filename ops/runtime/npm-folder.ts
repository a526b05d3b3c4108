/** Finds the npm that runs on this machine. The image gets a copy, because the package with Node has no npm. */
import { readFile, realpath } from "node:fs/promises"
import { dirname, join } from "node:path"
import { findProgram } from "../launcher/docker.ts"

export interface Npm {
  readonly folder: string
  readonly version: string
}

const packageAt = async (folder: string): Promise<Npm | null> => {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}")
  const { name, version } = JSON.parse(text) as { readonly name?: string; readonly version?: string }
  return name === "npm" && version !== undefined ? { folder, version } : null
}

/** `null` if its folder cannot be found from its program. */
export const npmFolder = async (env: NodeJS.ProcessEnv): Promise<Npm | null> => {
  const programs = [env["npm_execpath"], await findProgram("npm", env)]
  for (const program of programs) {
    if (program === undefined || program === "") continue
    // The program is in the folder `bin` of the package.
    const real = await realpath(program).catch(() => null)
    const found = real === null ? null : await packageAt(dirname(dirname(real)))
    if (found !== null) return found
  }
  return null
}
