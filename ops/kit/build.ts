/**
 * `npm run kit`: builds the packages for agents and websites, which do not need the service's sources.
 *
 *  - `hub-kit`: client and verifier, for programs.
 *  - `hub-agent`: the command, with the Model Context Protocol (agent.ts).
 *
 * Invariants
 *  - The kit is the output of `tsc` for edge/sdk: the same code as plain JavaScript with its types, and only the files
 *    that it imports.
 *  - Neither package needs another one: an import of anything but Node's own modules stops the build. The code that
 *    seals entries of a vault is a separate file of the kit (sodium.ts), with its license. The types use no types of
 *    Node, because they must be readable without them.
 *  - The folder is made anew each time. It is either complete or missing.
 */
import { execFile } from "node:child_process"
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join, posix, resolve } from "node:path"
import { promisify } from "node:util"
import { VERSION } from "../../schemas/version.ts"
import { projectRoot } from "../launcher/paths.ts"
import { writeAgent } from "./agent.ts"
import { LICENCES } from "./licences.ts"
import { SODIUM, SODIUM_FILE, sodiumBundle } from "./sodium.ts"

const ENTRIES = ["edge/sdk/verify", "edge/sdk/client"]
const DERIVED_TYPES = "edge/sdk/client/api.d.ts"
const COMPILE_TIMEOUT_MS = 120_000

const IMPORT =
  /(?:^|[;\n])\s*(?:import|export)\s(?:[^"';]*?\sfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

const importsIn = (source: string): ReadonlyArray<string> =>
  [...source.replace(COMMENT, "").matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? "")

const isTypes = (file: string): boolean => file.endsWith(".d.ts")

/** Resolves an import. Types import the `.js` file that they describe, in place of its `.d.ts` file. */
const targetOf = (file: string, name: string): string => {
  const path = posix.join(posix.dirname(file), name)
  return isTypes(file) ? path.replace(/\.js$/, ".d.ts") : path
}

/**
 * The compiler does not write out the type of the whole interface, because it is too long. Nothing in the kit uses that
 * type: the needed parts are written separately (operations.ts). The other files are written despite this error.
 */
const WHOLE_INTERFACE = /^schemas\/api\.ts\(\d+,\d+\): error TS7056:/

const compile = async (folder: string): Promise<void> => {
  const tsc = join(projectRoot, "node_modules", "typescript", "bin", "tsc")
  await promisify(execFile)(process.execPath, [tsc, "-p", join(projectRoot, "ops", "kit"), "--outDir", folder], {
    timeout: COMPILE_TIMEOUT_MS
  }).catch((error: { readonly stdout?: string }) => {
    const faults = (error.stdout ?? String(error))
      .split("\n")
      .filter((line) => line !== "" && !WHOLE_INTERFACE.test(line))
    if (faults.length > 0) throw new Error(`the kit does not compile:\n${faults.join("\n")}`)
  })
}

/** The types of the interface as the compiler printed them. They replace types that need the contracts. */
const writeOutTypes = async (folder: string): Promise<void> => {
  const printed = await readFile(join(folder, "ops", "kit", "operations.d.ts"), "utf8")
  const type = /export declare const operations: \(\) => (\{[\s\S]*\});/.exec(printed)?.[1]
  if (type === undefined) throw new Error("the compiler did not print the interface's types")
  await writeFile(
    join(folder, DERIVED_TYPES),
    `/** The interface: path and method to what is sent and what comes back. */\nexport type Operations = ${type};\n`
  )
}

/**
 * Replaces the endings of imports in types, which the compiler leaves unchanged. Installed files do not end with `.ts`.
 */
const withEndings = (source: string): string => source.replace(/(["'])(\.{1,2}\/[^"']+)\.ts\1/g, "$1$2.js$1")

const SODIUM_IMPORT = `import("${SODIUM}")`

const withSodium = (source: string): string =>
  source.replaceAll(SODIUM_IMPORT, `import("./${posix.basename(SODIUM_FILE)}")`)

/** All files that the entries import, directly or indirectly, with their text. */
const closure = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const found = new Set(ENTRIES.flatMap((entry) => [`${entry}.js`, `${entry}.d.ts`]))
  const texts = new Map<string, string>()
  for (const file of found) {
    const text = withSodium(withEndings(await readFile(join(folder, file), "utf8")))
    texts.set(file, text)
    for (const name of importsIn(text)) {
      if (name.startsWith(".")) found.add(targetOf(file, name))
      else if (isTypes(file) || !name.startsWith("node:"))
        throw new Error(`${file} imports ${name}, which the kit does not have`)
    }
  }
  return texts
}

const exportOf = (entry: string): object => ({ types: `./${entry}.d.ts`, default: `./${entry}.js` })

const packageOf = (): object => ({
  name: "hub-kit",
  version: VERSION,
  description: "The Hub for agents and websites: client, and verifier of identities",
  type: "module",
  license: "UNLICENSED",
  engines: { node: ">=20" },
  exports: { "./verify": exportOf("edge/sdk/verify"), "./client": exportOf("edge/sdk/client") },
  files: ["edge", "schemas", LICENCES]
})

const writeKit = async (compiled: string, folder: string): Promise<void> => {
  await compile(compiled)
  await writeOutTypes(compiled)
  const sodium = await sodiumBundle()
  await mkdir(join(compiled, dirname(SODIUM_FILE)), { recursive: true })
  await writeFile(join(compiled, SODIUM_FILE), sodium.code)
  for (const [file, text] of await closure(compiled)) {
    await mkdir(join(folder, dirname(file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  await writeFile(join(folder, "package.json"), `${JSON.stringify(packageOf(), null, 2)}\n`)
  await writeFile(join(folder, LICENCES), sodium.licences)
  await copyFile(join(projectRoot, "ops", "kit", "README.md"), join(folder, "README.md"))
}

/** Makes two folders below `target`, each with a package. */
export const buildKit = async (target: string): Promise<void> => {
  await mkdir(dirname(target), { recursive: true })
  const work = await mkdtemp(join(dirname(target), ".kit-"))
  try {
    const whole = join(work, "whole")
    await writeKit(join(work, "compiled"), join(whole, "hub-kit"))
    await writeAgent(join(whole, "hub-agent"))
    await rm(target, { recursive: true, force: true })
    await rename(whole, target)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const target = resolve(projectRoot, process.argv[2] ?? join("dist", "kit"))
  await buildKit(target)
  console.log(`the kit is in ${target}: npm pack ${join(target, "hub-kit")} ${join(target, "hub-agent")}`)
}
