/** The page that says what is kept names all there is, and what ends. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { KINDS } from "../../actors/process/kinds.ts"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { streams } from "../../schemas/subjects.ts"

const page = readFileSync(join(projectRoot, "ops/docs/kept.md"), "utf8")
const between = (from: string, to: string): string => page.slice(page.indexOf(from), page.indexOf(to))
const namedIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ""))

test("each kind of actor is named, as one that ends or as one that stays", () => {
  const ending = namedIn(between("These end:", "An actor that ends"))
  const staying = namedIn(between("These stay for good:", "## Rows in Postgres"))
  for (const { fold } of KINDS) {
    expect([fold.kind, ending.has(fold.kind)]).toEqual([fold.kind, fold.ends === true])
    expect([fold.kind, staying.has(fold.kind)]).toEqual([fold.kind, fold.ends !== true])
  }
})

test("each table is named, and each rule for its rows", () => {
  const going = namedIn(between("These go with time", "The node that runs"))
  const all = namedIn(between("## Rows in Postgres", "## Streams beside"))
  for (const { name, kept } of PROJECTIONS.flatMap(({ tables }) => tables)) {
    expect([name, all.has(name)]).toEqual([name, true])
    if (kept !== undefined) expect([name, going.has(name)]).toEqual([name, true])
  }
})

test("each stream is named", () => {
  const all = namedIn(page)
  for (const name of Object.values(streams)) expect([name, all.has(name)]).toEqual([name, true])
})
