/**
 * *Add a noun* (ops/docs/add-a-noun.md) does what it says: its example, laid into a copy of the project, fits, and the
 * example's own tests pass there.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { promisify } from "node:util"
import { sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openDatabase } from "../../actors/tables/database.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { textOf, trackedFiles } from "../contract/tracked.ts"
import { openServers, type OpenServers, testFolder } from "../harness/index.ts"

const NEW_FILES_MAX = 8
const NEW_LINES_MAX = 4
const BLOCK = /^```(ts|diff) (\S+)\n([\s\S]*?)\n```$/gm

interface Block {
  readonly sort: string
  readonly path: string
  readonly text: string
}

const blocksIn = (page: string): ReadonlyArray<Block> =>
  [...page.matchAll(BLOCK)].map(([, sort = "", path = "", text = ""]) => ({ sort, path, text }))
const filesOf = (some: ReadonlyArray<Block>): ReadonlyArray<Block> => some.filter(({ sort }) => sort === "ts")
const linesOf = (some: ReadonlyArray<Block>): ReadonlyArray<Block> => some.filter(({ sort }) => sort === "diff")

const [ofNoun = [], ofAspect = []] = textOf("ops/docs/add-a-noun.md")
  .split("\n## An aspect of the agent\n")
  .map(blocksIn)
const blocks = [...ofNoun, ...ofAspect]
const files = filesOf(blocks)
const lines = linesOf(blocks)
const added = ({ text }: Block): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.startsWith("+") ? [line.slice(1)] : []))

/** Behind the line that the block shows before it. */
const insert = (copy: string, block: Block): void => {
  const before = block.text.split("\n")[0]?.slice(1) ?? ""
  const held = readFileSync(join(copy, block.path), "utf8").split("\n")
  const at = held.indexOf(before)
  if (at === -1) throw new Error(`${block.path} has no line "${before}"`)
  writeFileSync(join(copy, block.path), held.toSpliced(at + 1, 0, ...added(block)).join("\n"))
}

/** The page leaves the number to the command that it names. */
const MIGRATION = /^ops\/migrations\/<number>_(\w+)\.ts$/

let copy = ""
let servers: OpenServers
let migration = ""

beforeAll(async () => {
  servers = await openServers()
  copy = await testFolder("noun")
  for (const file of trackedFiles()) cpSync(join(projectRoot, file), join(copy, file))
  mkdirSync(join(copy, ".hub"))
  symlinkSync(join(projectRoot, "node_modules"), join(copy, "node_modules"))
  symlinkSync(join(projectRoot, ".hub", "bin"), join(copy, ".hub", "bin"))
  for (const { path, text } of files) {
    const name = MIGRATION.exec(path)?.[1]
    if (name !== undefined) migration = (await run("node", "ops/migrations/new.ts", name)).trim()
    const at = join(copy, name === undefined ? path : migration)
    mkdirSync(dirname(at), { recursive: true })
    writeFileSync(at, `${text}\n`, { flag: name === undefined ? "wx" : "w" })
  }
  for (const block of lines) insert(copy, block)
})
afterAll(async () => {
  rmSync(copy, { recursive: true, force: true })
  await servers?.stop()
})

const placed = ({ path }: Block): string => (MIGRATION.test(path) ? migration : path)

/** Resolves with the program's output. Rejects with all that it printed, where it fails. */
const run = async (program: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, HUB_TEST_FOLDER: join(copy, ".hub"), HUB_TEST_PORTS: process.env["HUB_TEST_PORTS"] }
  const path = program === "node" ? process.execPath : join(projectRoot, "node_modules", ".bin", program)
  const { stdout } = await promisify(execFile)(path, args, { cwd: copy, env, maxBuffer: 2 ** 24 }).catch(
    (failed: unknown) => {
      const { stdout = "", stderr = "" } = failed as { readonly stdout?: string; readonly stderr?: string }
      throw new Error(`${program} ${args.join(" ")}:\n${stdout}${stderr}`)
    }
  )
  return stdout
}

test("it takes few files, and hardly touches those that are there", () => {
  const { length } = filesOf(ofNoun)
  expect(length).toBeGreaterThan(0)
  expect(length).toBeLessThanOrEqual(NEW_FILES_MAX)
  expect(linesOf(ofNoun).flatMap(added).length).toBeLessThanOrEqual(NEW_LINES_MAX)
})

test("an aspect of the agent takes a folder, and a line in each list", () => {
  const ofAgent = ({ path }: Block): boolean => path.startsWith("actors/")
  expect(
    filesOf(ofAspect)
      .filter(ofAgent)
      .map(({ path }) => dirname(path))
  ).toEqual(Array.from({ length: 2 }, () => "actors/agent/motto"))
  expect(
    linesOf(ofAspect)
      .filter(ofAgent)
      .map((block) => [block.path, added(block).length])
  ).toEqual([
    ["actors/agent/states.ts", 1],
    ["actors/agent/aspects.ts", 1]
  ])
})

test("a database that has every earlier migration takes the example's", async () => {
  const db = openDatabase(servers.postgres.url)
  const applied = async () => (await sql<{ name: string }>`select name from kysely_migration`.execute(db)).rows
  try {
    const before = await applied()
    expect(before.length).toBeGreaterThan(20)
    await run(
      "node",
      "--input-type=module",
      "--eval",
      `import { migrate } from "./ops/migrations/migrate.ts"; await migrate(${JSON.stringify(servers.postgres.url)})`
    )
    expect((await applied()).map(({ name }) => name)).toEqual(
      expect.arrayContaining([...before.map(({ name }) => name), basename(migration, ".ts")])
    )
  } finally {
    await db.destroy()
  }
})

test("the example fits into the project, and its own tests pass", async () => {
  // Generated: the contract, and the types of the tables.
  await run("node", "ops/contracts/write.ts")
  await run("tsc", "--checkers", "1")
  await run("oxfmt", "--check", ...blocks.map(placed))
  await run("oxlint", ...blocks.map(placed))
  await run("vitest", "run", ...files.flatMap(({ path }) => (path.startsWith("tests/") ? [path] : [])))
})
