/**
 * libsodium as the one file of the kit that the client loads when it seals an entry. So the kit needs no other package.
 */
import { join } from "node:path"
import { rolldown } from "rolldown"
import { projectRoot } from "../launcher/paths.ts"
import { licences } from "./licences.ts"

export const SODIUM = "libsodium-wrappers"
/** The file is beside the module that imports it. */
export const SODIUM_FILE = "edge/sdk/client/libsodium.js"
const TARGET = "es2022"

export const sodiumBundle = async (): Promise<{ readonly code: string; readonly licences: string }> => {
  const bundle = await rolldown({
    cwd: projectRoot,
    input: join(projectRoot, "node_modules", SODIUM, "dist/modules-esm/libsodium-wrappers.mjs"),
    platform: "neutral",
    tsconfig: false,
    transform: { target: TARGET }
  })
  try {
    const { output } = await bundle.generate({ format: "es", minify: false })
    const [{ code, imports, dynamicImports, moduleIds }, ...more] = output
    if (more.length + imports.length + dynamicImports.length > 0)
      throw new Error("libsodium is not one file that imports nothing")
    return { code, licences: await licences(moduleIds) }
  } finally {
    await bundle.close()
  }
}
