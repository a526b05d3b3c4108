/** Copies the licenses of packages whose code is part of a package of ours. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

export const LICENCES = "LICENCES.txt"

/** The folder of a module's package; `undefined` for the project's own modules. */
const packageFolder = (module: string): string | undefined =>
  /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0]

const licenceIn = async (folder: string): Promise<string> => {
  const { name, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<string, string>
  const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one))
  if (file === undefined) throw new Error(`${folder} has no licence to hand on`)
  return `${name} ${version}\n\n${(await readFile(join(folder, file), "utf8")).trim()}\n`
}

/** `modules` are the files that were bundled. */
export const licences = async (modules: ReadonlyArray<string>): Promise<string> => {
  const folders = new Set(modules.flatMap((id) => packageFolder(id) ?? []))
  return (await Promise.all([...folders].toSorted().map(licenceIn))).join(`\n${"-".repeat(80)}\n\n`)
}
