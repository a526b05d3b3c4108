/**
 * The package `hub-agent`: the command as one file, and another file that only `hub-agent mcp` loads.
 *
 * Invariants
 *  - It needs no other package. The protocol's implementation is bundled into the files, with its licenses.
 *  - Commands that do not use the protocol do not load it.
 */
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type OutputChunk, rolldown } from "rolldown"
import { VERSION } from "../../schemas/version.ts"
import { projectRoot } from "../launcher/paths.ts"
import { LICENCES, licences } from "./licences.ts"

const ENTRY = "edge/sdk/cli/main.ts"
const COMMAND = "hub-agent.js"
const EXECUTABLE = 0o755
/** The language version of Node 20. */
const TARGET = "es2022"

const chunks = async (): Promise<ReadonlyArray<OutputChunk>> => {
  const bundle = await rolldown({
    cwd: projectRoot,
    input: { "hub-agent": join(projectRoot, ENTRY) },
    platform: "node",
    tsconfig: false,
    transform: { target: TARGET },
    external: /^node:/
  })
  try {
    const { output } = await bundle.generate({
      format: "es",
      minify: false,
      entryFileNames: COMMAND,
      chunkFileNames: "[name].js"
    })
    return output.filter((one) => one.type === "chunk")
  } finally {
    await bundle.close()
  }
}

const requireComplete = (found: ReadonlyArray<OutputChunk>): void => {
  const own = new Set(found.map(({ fileName }) => fileName))
  const missing = found
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((name) => !own.has(name) && !name.startsWith("node:"))
  if (missing.length > 0) throw new Error(`hub-agent imports what its package does not have: ${missing.join(", ")}`)
}

const packageOf = (files: ReadonlyArray<string>): object => ({
  name: "hub-agent",
  version: VERSION,
  description: "The Hub from a shell, and for models by the Model Context Protocol",
  type: "module",
  license: "UNLICENSED",
  engines: { node: ">=20" },
  bin: { "hub-agent": `./${COMMAND}` },
  files
})

export const writeAgent = async (folder: string): Promise<void> => {
  const found = await chunks()
  requireComplete(found)
  await mkdir(folder, { recursive: true })
  for (const { fileName, code } of found) await writeFile(join(folder, fileName), code)
  await chmod(join(folder, COMMAND), EXECUTABLE)
  await writeFile(join(folder, LICENCES), await licences(found.flatMap(({ moduleIds }) => moduleIds)))
  const files = [...found.map(({ fileName }) => fileName), LICENCES]
  await writeFile(join(folder, "package.json"), `${JSON.stringify(packageOf(files), null, 2)}\n`)
  await copyFile(join(projectRoot, "ops", "kit", "hub-agent.md"), join(folder, "README.md"))
}
