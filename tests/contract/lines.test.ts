/** What is written by hand is read by people, a file at a time: none is longer than they can take in. */
import { expect, test } from "vitest"
import { textOf, trackedFiles } from "./tracked.ts"

const LINES_MAX = 300
/** Written by programs: see ops/contracts/write.ts. */
const GENERATED: ReadonlyArray<string> = [
  "actors/tables.ts",
  "edge/sdk/client/operation-table.ts",
  "edge/sdk/verify.bundle.js",
  "edge/html/vault/seal-script.bundle.js"
]

const linesOf = (file: string): number => textOf(file).replace(/\n$/, "").split("\n").length

const sources = trackedFiles().filter((file) => /\.(ts|mts|mjs|js)$/.test(file))

test("what is generated is there, and told from the rest", () => {
  expect(GENERATED.filter((file) => !sources.includes(file))).toEqual([])
  expect(sources.length).toBeGreaterThan(200)
})

test(`no source has more than ${LINES_MAX} lines`, () => {
  const long = sources.filter((file) => !GENERATED.includes(file) && linesOf(file) > LINES_MAX)
  expect(long.map((file) => `${file}: ${linesOf(file)}`)).toEqual([])
})
