/**
 * Finds the tests of a source file, so that `npm test -- edge/http/form.ts` runs them.
 *
 *  - Tests that import the file, directly or through a helper of theirs, and the test with the same path as the source.
 *    Imports by tests/harness/ and tests/support/ do not count.
 *  - If there are none, four kinds are taken together. Tests with the file's name are below a folder of its path. Tests
 *    with its path are in the folder that mirrors it. Tests of its room import a file that imports it. Tests of its
 *    texts contain one that few tests have, such as the name of a metric or of a command. A room is a folder such as
 *    actors/mail/ or ops/cli/.
 *  - Without tests of the room, those are added that BY_FOLDER names for the file's folder. Many of them are left out if
 *    there are tests of the texts.
 *  - Benchmarks have no tests. They are run by hand.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { LaunchFault } from "./fault.ts"
import { projectRoot } from "./paths.ts"

const SOURCE = /^(?:actors|edge|schemas|ops)\/.*\.(?:ts|mjs)$/

/** True if the path is a source file of the project whose tests can be looked up. */
export const isSource = (path: string): boolean => SOURCE.test(path) && existsSync(join(projectRoot, path))

/**
 * Test patterns by folder of the source. The first entry that matches and has tests is used. `<noun>` stands for the
 * text in the parentheses.
 */
const BY_FOLDER: ReadonlyArray<readonly [folder: RegExp, tests: ReadonlyArray<string>]> = [
  [/^edge\/(?:owner|human|kit\/owner)\//, ["html/owner/*", "api/owner*", "api/human*"]],
  [/^edge\/(?:kit|markdown)\//, ["html/*", "edge/*"]],
  [/^edge\/sdk\/(cli|client|verify|mcp|vault)\b/, ["sdk/<noun>*", "sdk/*-<noun>*"]],
  [/^edge\/sdk\//, ["sdk/*"]],
  [/^edge\/fill\//, ["fill/*"]],
  [/^(?:actors\/process|edge)\/metrics\//, ["metrics/*"]],
  [/^edge\/(?:http|pipeline|bus|auth|docs)\//, ["edge/*"]],
  [/^(?:actors|schemas|edge)\/content\//, ["api/{post,thread,reply}*"]],
  [/^(?:actors|schemas)\/(?:handle|key|number|origin)\//, ["api/{registration,signing-keys}*"]],
  [/^(?:edge|schemas)\/meta\//, ["edge/{probes,docs}*"]],
  [/^(?:edge|schemas)\/vault-service\//, ["api/vault-{fill,keeper}*", "fill/*"]],
  [/^schemas\/console\//, ["console/*"]],
  [/^(?:edge|schemas)\/identity\//, ["api/identity/*"]],
  [/^schemas\/secret\//, ["edge/content/*"]],
  [/^actors\/agent\/([\w-]+)\//, ["api/<noun>*", "api/*/<noun>*", "actors/agent/<noun>*", "actors/agent/*"]],
  [/^actors\/(fanout)\//, ["<noun>/*"]],
  [/^actors\/(?:runtime|fleet|compartment)\//, ["runtime/*", "api/compartment*"]],
  [/^actors\/process\//, ["{metrics,actors/engine,chaos}/*"]],
  [/^actors\/(log|engine|projections|reactions|tables|kit|queries)\//, ["actors/<noun>/*", "chaos/*"]],
  [/^actors\/(?:letter|address|chat|push|relay)\//, ["api/relay*", "api/*letter*", "html/owner/*", "actors/<noun>*/*"]],
  [/^schemas\/runtime\/(log|metrics|trace)\b/, ["<noun>/*"]],
  [/^schemas\/runtime\/bus\//, ["launcher/bus*", "edge/{leases,bus}*"]],
  [/^schemas\/runtime\/[^/]+$/, ["launcher/*"]],
  [/^schemas\/compartment\//, ["runtime/compartment*", "api/compartment*"]],
  [/^(?:actors|edge|schemas)\/([\w-]+)\//, ["api/<noun>*", "html/<noun>*", "actors/<noun>/*", "edge/<noun>*"]],
  [/^ops\/campaign\//, ["contract/*"]],
  [/^ops\/([\w-]+)\//, ["<noun>/*", "ops/<noun>*"]],
  [/^ops\//, ["ops/*", "launcher/*"]],
  [/^(?:actors|edge|schemas)\/[^/]+$/, ["contract/*"]]
]

/** True for benchmarks, which have no tests on purpose. */
export const isBenchmark = (source: string): boolean => source.startsWith("ops/bench/")

const IMPORTED = /(?:from|import) ?\(?"(\.[^"]*)"/g

/** For each file, the files that import it. Paths are relative to the project. */
const importers = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const file of globSync("{actors,edge,schemas,ops,tests}/**/*.ts", { cwd: projectRoot })) {
    const folder = dirname(join(projectRoot, file))
    for (const [, path = ""] of readFileSync(join(projectRoot, file), "utf8").matchAll(IMPORTED)) {
      const imported = relative(projectRoot, resolve(folder, path))
      const those = found.get(imported)
      if (those === undefined) found.set(imported, [file])
      else those.push(file)
    }
  }
  return found
}

/** Helpers that all tests use. An import by them does not make a test belong to a file. */
const TOOLS = /^tests\/(?:harness|support)\//
const roomOf = (file: string): string => file.split("/", 2).join("/")

const isTest = (file: string): boolean => file.endsWith(".test.ts")
const TEXT = /"([^"\\\n]{5,60})"|`([^`$\\\n]{5,60})[`$]/g
const isTelling = (text: string): boolean => /[ \-./_]/.test(text) && !/^\.|^@|^node:|^effect/.test(text)

/** The words of a command in a test: `["mail", "domain", "--json"]`. */
const COMMAND = /\[("[a-z]+"(?:, "[a-z]+")?)/g

const textsIn = (file: string): ReadonlySet<string> => {
  const text = readFileSync(join(projectRoot, file), "utf8")
  const found = [...text.matchAll(TEXT)].map(([, quoted, template = ""]) => quoted ?? template)
  const commands = isTest(file) ? [...text.matchAll(COMMAND)].map(([, words = ""]) => words) : []
  return new Set([...found.filter(isTelling), ...commands])
}

/** `ops/cli/mail-domain.ts` has the command `hub mail domain`. */
const commandOf = (source: string): ReadonlyArray<string> =>
  source.startsWith("ops/cli/")
    ? [
        basename(source, ".ts")
          .split("-")
          .map((word) => `"${word}"`)
          .join(", ")
      ]
    : []

/** A text in more tests says nothing about one of them. */
const TESTS_OF_TEXT_MAX = 6
const ALIKE_IN_TEXT_MAX = 3
/** A folder with more tests says less than tests of the file's texts. */
const FOLDER_MAX = 6

type Texts = ReadonlyMap<string, ReadonlyArray<string>>

/** For each text in tests, the tests that contain it. */
const testsByText = (): Texts => {
  const found = new Map<string, Array<string>>()
  for (const test of globSync("tests/**/*.test.ts", { cwd: projectRoot }))
    for (const text of textsIn(test)) found.set(text, [...(found.get(text) ?? []), test])
  return found
}

/** The tests that share most texts with the source. A text that is no command counts less the more tests have it. */
const withTextsOf = (source: string, texts: Texts): ReadonlyArray<string> => {
  const shares = new Map<string, number>()
  for (const text of [...textsIn(source), ...commandOf(source)]) {
    const tests = texts.get(text) ?? []
    if (tests.length > TESTS_OF_TEXT_MAX) continue
    const share = text.startsWith('"') ? 1 : 1 / tests.length
    for (const test of tests) shares.set(test, (shares.get(test) ?? 0) + share)
  }
  const best = [...shares].filter(([, share]) => share >= 1).toSorted(([, one], [, other]) => other - one)
  return best.slice(0, ALIKE_IN_TEXT_MAX).map(([test]) => test)
}

const testsFor = (
  source: string,
  by: ReadonlyMap<string, ReadonlyArray<string>>,
  texts: () => Texts
): ReadonlyArray<string> => {
  const own = source.replace(/^(.*)\.\w+$/, "tests/$1.test.ts")
  const from = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
    const direct = files.flatMap((file) => by.get(file) ?? [])
    const helpers = direct.filter((file) => file.startsWith("tests/") && !isTest(file) && !TOOLS.test(file))
    return [...direct, ...helpers.flatMap((helper) => by.get(helper) ?? [])].filter(isTest)
  }
  const tests = [...from([source]), own].filter((file) => existsSync(join(projectRoot, file)))
  if (tests.length > 0) return tests
  const inRoom = from((by.get(source) ?? []).filter((file) => roomOf(file) === roomOf(source)))
  if (isBenchmark(source)) return inRoom
  const withTexts = withTextsOf(source, texts())
  const folder = inRoom.length > 0 ? [] : byFolder(source)
  const others = withTexts.length > 0 && folder.length > FOLDER_MAX ? [] : folder
  return [...alike(source), ...inRoom, ...withTexts, ...others]
}

/** Names that files of many folders have. */
const COMMON = new Set([
  "actor",
  "api",
  "aspect",
  "decide",
  "evolve",
  "fields",
  "index",
  "limits",
  "noun",
  "operations",
  "page",
  "pages",
  "projection",
  "queries",
  "reactions",
  "records",
  "routes",
  "state",
  "view"
])
/** A folder with more tests, or that of a whole room, says little about one file. */
const MIRRORED_MAX = 6

/** `actors/agent/identity/rotation.ts` is like `tests/api/identity/rotation.test.ts`. */
const alike = (source: string): ReadonlyArray<string> => {
  const [name = ""] = basename(source).split(".")
  const folders = dirname(source).split("/").slice(1)
  const named = COMMON.has(name) ? [] : globSync(`tests/**/${name}{,-*}.test.ts`, { cwd: projectRoot })
  const isRoom = folders.length < 2
  const mirrored = isRoom ? [] : globSync(`tests/${dirname(source)}/*.test.ts`, { cwd: projectRoot })
  return [
    ...named.filter((test) =>
      dirname(test)
        .split("/")
        .some((folder) => folders.includes(folder))
    ),
    ...(mirrored.length <= MIRRORED_MAX ? mirrored : [])
  ]
}

/** The tests for a file that no test imports, by its folder; none if the folder has no entry. */
export const byFolder = (source: string): ReadonlyArray<string> => {
  for (const [folder, patterns] of BY_FOLDER) {
    const match = folder.exec(source)
    if (match === null) continue
    for (const pattern of patterns) {
      const glob = `tests/${pattern.replaceAll("<noun>", match[1] ?? "")}.test.ts`
      const found = globSync(glob, { cwd: projectRoot })
      if (found.length > 0) return found
    }
  }
  return []
}

/**
 * Makes a function that finds the tests of a source. It reads all sources once. Paths are relative to the project and
 * sorted. The function throws a LaunchFault if it finds no tests, except for a benchmark.
 */
export const testsFinder = (): ((source: string) => ReadonlyArray<string>) => {
  const by = importers()
  let texts: Texts | undefined
  return (source) => {
    const tests = testsFor(source, by, () => (texts ??= testsByText()))
    if (tests.length === 0 && !isBenchmark(source))
      throw new LaunchFault(
        `no test imports ${source}, and its folder has no rule in ops/launcher/tests-of.ts; add one`
      )
    return [...new Set(tests)].toSorted()
  }
}
