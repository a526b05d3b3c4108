/**
 * Scripts of the console's pages: modules in `script/`, and the library of the plots. Their path contains a hash of all
 * of them, so that browsers can cache them forever, and a module finds the others beside it.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"

const FOLDER = new URL("script/", import.meta.url)

const own = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".js"))
  .toSorted()
  // A browser knows no package by its name.
  .map(
    (name) => [name, readFileSync(new URL(name, FOLDER), "utf8").replace(`from "uplot"`, `from "./uplot.js"`)] as const
  )

const plots = createRequire(import.meta.url).resolve("uplot/dist/uPlot.esm.js")

const files: ReadonlyMap<string, string> = new Map([...own, ["uplot.js", readFileSync(plots, "utf8")]])

const HASH_CHARS = 16
const HASH = createHash("sha256")
  .update(JSON.stringify([...files]))
  .digest("hex")
  .slice(0, HASH_CHARS)

const PREFIX = `/script/${HASH}/`

export const scriptPath = (name: string): string => `${PREFIX}${name}.js`

export const scriptAt = (path: string): string | null =>
  path.startsWith(PREFIX) ? (files.get(path.slice(PREFIX.length)) ?? null) : null
