/**
 * Bundles the fill service for the image: one file, and beside it the unchanged scripts that it runs in pages. Like the
 * kit it needs no other package. The licenses of bundled packages are included.
 */
import { cp, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { LICENCES, licences } from "../kit/licences.ts"
import { projectRoot } from "../launcher/paths.ts"

const ENTRY = "edge/fill/main.ts"
const IN_PAGES = "edge/fill/page"
const FILE = "main.js"
const TARGET = "es2022"

export const writeFill = async (folder: string): Promise<void> => {
  const bundle = await rolldown({
    cwd: projectRoot,
    input: join(projectRoot, ENTRY),
    platform: "node",
    tsconfig: false,
    transform: { target: TARGET },
    external: /^node:/,
    // Hides the warning about modules that are imported in two ways, which does not matter in a single file.
    logLevel: "silent"
  })
  try {
    const { output } = await bundle.generate({ format: "es", minify: false, entryFileNames: FILE })
    const [{ code, imports, dynamicImports, moduleIds }, ...more] = output
    const foreign = [...imports, ...dynamicImports].filter((name) => name !== FILE && !name.startsWith("node:"))
    if (more.length + foreign.length > 0)
      throw new Error(`the fill service is not one file: it imports ${foreign.join(", ") || "parts of its own"}`)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, FILE), code)
    await writeFile(join(folder, "package.json"), `${JSON.stringify({ type: "module", private: true })}\n`)
    await writeFile(join(folder, LICENCES), await licences(moduleIds))
    await cp(join(projectRoot, IN_PAGES), join(folder, "page"), { recursive: true })
  } finally {
    await bundle.close()
  }
}
