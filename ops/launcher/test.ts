/**
 * `npm test`: runs every check of the project and shows each as it runs. A failure does not keep the next checks from
 * running.
 *
 * The last line is `N passed, N failed` and counts tests and steps together. A skipped or unwritten test counts as
 * failed, and so does a file that could not be loaded or a run without tests. Success means that everything ran and
 * passed.
 *
 * Arguments go to vitest. With files among them (`npm test -- tests/api/thread.test.ts`) the tests of these files run
 * and no other check. These flags are this program's own:
 *  - `--changed` stands for the files that differ from the last commit. If there are none, it stands for those that the
 *    last commit changed.
 *  - `--coverage` measures lines and branches of the product and writes a report to `.hub/coverage`.
 *  - `--campaign <commit>` adds one campaign, chosen by the hash of the commit (ops/docs/campaigns.md), if there is time
 *    for it.
 *  - `--list` prints the tests of source files, or of the changed files, and runs nothing.
 *  - `--help` prints the usage.
 */
import { readFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { changedFiles, isTestFile } from "./changed.ts"
import { findChromium, findHeadlessChromium } from "./chromium.ts"
import { findDocker } from "./docker.ts"
import { ensurePrograms } from "../runtime/programs.ts"
import { findLanguages } from "./languages.ts"
import { findPrometheus } from "./prometheus.ts"
import { findNatsServer } from "./nats-binary.ts"
import { dataFolder, projectRoot } from "./paths.ts"
import { isSource, testsFinder } from "./tests-of.ts"
import { makeTestFolder, removeTestFolder } from "./test-folder.ts"
import { spawnTied } from "./tied.ts"
import type { TiedProcess } from "./tied.ts"

interface Count {
  readonly passed: number
  readonly failed: number
}

interface Step {
  readonly name: string
  readonly command: ReadonlyArray<string>
}

const STOP_GRACE_MS = 8_000
/** The whole check with a campaign. Build machines end it after 90 minutes, which begin before this program. */
const WITH_CAMPAIGN_SECONDS = 84 * 60
/** The longest run of the campaign of a commit. */
export const CAMPAIGN_SECONDS_MAX = 14 * 60
const CAMPAIGN_SECONDS_MIN = 60

const bin = (name: string) => join(projectRoot, "node_modules", ".bin", name)

let current: TiedProcess | undefined
let interrupted = false
const unwanted = new AbortController()

async function runCommand(command: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Promise<number> {
  if (interrupted) return 1
  current = await spawnTied({
    command,
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
    stopSignal: "SIGTERM"
  })
  const exit = await current.exited
  current = undefined
  return exit.code ?? 1
}

async function runStep(step: Step): Promise<Count> {
  console.log(`\n== ${step.name}`)
  const begin = Date.now()
  const status = await runCommand(step.command)
  const seconds = ((Date.now() - begin) / 1000).toFixed(1)
  console.log(status === 0 ? `${step.name}: passed (${seconds} s)` : `${step.name}: FAILED with status ${status}`)
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    /** An error of the file outside its tests. */
    readonly message?: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly fullName: string
      /** The duration in milliseconds. */
      readonly duration?: number | null
      readonly failureMessages?: ReadonlyArray<string> | null
    }>
  }>
}

const REASON_LENGTH_MAX = 300
const SLOWEST_FILES = 10

const reasonOf = (messages: ReadonlyArray<string> | null | undefined): string => {
  const line =
    stripVTControlCharacters(messages?.[0] ?? "")
      .trim()
      .split("\n", 1)[0] ?? ""
  return line === "" ? "" : ` (${line.slice(0, REASON_LENGTH_MAX)})`
}

/** One line for each of the slowest files: the time of its tests, without hooks. */
export function slowestFiles(report: Report): ReadonlyArray<string> {
  const timed = report.testResults.map(({ name, assertionResults }) => ({
    name,
    ms: assertionResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0)
  }))
  const slowest = timed.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST_FILES)
  return slowest.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${relative(projectRoot, name)}`)
}

/** Counts the results in a vitest report. Each test or file that did not pass gets a remark. */
export function countReport(report: Report, status: number): Count & { readonly remarks: ReadonlyArray<string> } {
  const remarks: Array<string> = []
  let passed = 0
  let failed = 0
  for (const file of report.testResults) {
    const failedBefore = failed
    for (const test of file.assertionResults) {
      if (test.status === "passed") passed += 1
      else failed += 1
      if (test.status !== "passed")
        remarks.push(`${test.status}: ${file.name} > ${test.fullName}${reasonOf(test.failureMessages)}`)
    }
    if (file.assertionResults.length === 0) remarks.push(`no test ran: ${file.name}${reasonOf([file.message ?? ""])}`)
    const broken = file.assertionResults.length === 0 || (file.status === "failed" && failed === failedBefore)
    if (broken) failed += 1
    if (broken && file.assertionResults.length > 0)
      remarks.push(`failed outside its tests: ${file.name}${reasonOf([file.message ?? ""])}`)
  }
  if (report.testResults.length === 0) {
    remarks.push("no test ran at all")
    failed += 1
  }
  if (status !== 0 && failed === 0) {
    remarks.push(`vitest ended with status ${status} although no test failed`)
    failed += 1
  }
  return { passed, failed, remarks }
}

/**
 * Makes glibc keep freed memory. Test workers live long and run many nodes. Memory that was returned to the kernel must
 * be faulted in again for the next large body or password hash. On some virtual machines that costs more than all other
 * work.
 */
const KEEPS_MEMORY = { MALLOC_TRIM_THRESHOLD_: "268435456", MALLOC_MMAP_THRESHOLD_: "268435456" }

const COVERED = ["schemas", "edge", "actors", "ops"]

/** The vitest flags that measure coverage. A failed run writes its report too. */
const coverageFlags = (): ReadonlyArray<string> => [
  "--coverage.enabled",
  "--coverage.provider=v8",
  ...COVERED.map((folder) => `--coverage.include=${folder}/**/*.ts`),
  "--coverage.reporter=text-summary",
  "--coverage.reporter=html",
  "--coverage.reporter=json-summary",
  `--coverage.reportsDirectory=${join(dataFolder(process.env), "coverage")}`,
  "--coverage.reportOnFailure"
]

async function runTests(args: ReadonlyArray<string>): Promise<ReturnType<typeof countReport>> {
  console.log("\n== tests")
  // This process owns the folder, so that it is removed even if vitest is killed.
  const folder = await makeTestFolder()
  const file = join(folder, "report.json")
  try {
    const failures = join("tests", "harness", "failures.ts")
    const reporters = ["--reporter=default", `--reporter=./${failures}`, "--reporter=json", `--outputFile.json=${file}`]
    const status = await runCommand([process.execPath, bin("vitest"), "run", ...reporters, ...args], {
      ...KEEPS_MEMORY,
      HUB_TEST_FOLDER: folder
    })
    const report = JSON.parse(await readFile(file, "utf8").catch(() => `{"testResults":[]}`)) as Report
    console.log(["", "The files that took longest:", ...slowestFiles(report)].join("\n"))
    return countReport(report, status)
  } finally {
    await removeTestFolder(folder)
  }
}

function stop(): void {
  interrupted = true
  unwanted.abort()
  void current?.stop(STOP_GRACE_MS)
}

function stopOnSignal(): void {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop)
  if (process.connected) process.on("disconnect", stop)
}

const node = (file: string): ReadonlyArray<string> => [process.execPath, "--no-warnings", file]

function steps(): ReadonlyArray<Step> {
  return [
    { name: "types", command: [bin("tsc"), "--checkers", "2"] },
    { name: "format", command: [bin("oxfmt"), "--check"] },
    { name: "lint", command: [bin("oxlint"), "--deny-warnings"] },
    { name: "exports", command: [bin("knip"), "--include", "exports,types,files", "--no-progress"] },
    { name: "regular expressions", command: node(join("ops", "check", "regular-expressions.ts")) },
    { name: "prose", command: node(join("ops", "check", "prose.ts")) },
    { name: "generated files", command: [...node(join("ops", "contracts", "write.ts")), "--check"] },
    { name: "images of the container tests", command: node(join("tests", "deploy", "prepare.ts")) }
  ]
}

/** The time for a campaign, if everything before it has taken `ms`. 0 if too little is left. */
export function campaignSeconds(ms: number): number {
  const left = Math.floor(WITH_CAMPAIGN_SECONDS - ms / 1000)
  return left < CAMPAIGN_SECONDS_MIN ? 0 : Math.min(left, CAMPAIGN_SECONDS_MAX)
}

interface TestArguments {
  readonly vitest: ReadonlyArray<string>
  /** True if the arguments name files or parts of file names. */
  readonly files: boolean
  readonly coverage: boolean
  /** The hash of the commit that chooses the campaign; `null` if no campaign is added. */
  readonly campaign: string | null
}

/**
 * Parses the arguments. Vitest's flags with a value must be written with `=`, so that every argument without a dash is
 * a file.
 */
export function readArguments(args: ReadonlyArray<string>): TestArguments {
  const at = args.indexOf("--campaign")
  const campaign = at === -1 ? null : (args[at + 1] ?? "")
  const others = at === -1 ? args : args.filter((_, index) => index !== at && index !== at + 1)
  const vitest = others.filter((arg) => arg !== "--coverage")
  return {
    vitest,
    files: vitest.some((arg) => !arg.startsWith("-")),
    coverage: others.length > vitest.length,
    campaign
  }
}

/** Replaces source files among the arguments by their tests, and prints the tests. */
const withTestsOf = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!args.some(isSource)) return args
  const testsOf = testsFinder()
  const named = args.flatMap((arg) => {
    if (!isSource(arg)) return [arg]
    const tests = testsOf(arg)
    const found = tests.length === 0 ? ["none: benchmarks are run by hand (npm run bench)"] : tests
    console.log(`tests of ${arg}:\n${found.map((line) => `  ${line}`).join("\n")}`)
    return tests
  })
  return [...new Set(named)]
}

const CHANGED = "--changed"
const LIST = "--list"
const HELP = `usage:
  npm test                              all checks and tests
  npm test -- <file or part of it>...   these tests, or the tests of these source files; any flag of vitest with =
  npm test -- --changed                 the tests of what differs from the last commit, or of what that commit changed
  npm test -- --list <source file>...   prints the tests of source files; --list --changed those of the changed files
  npm test -- --coverage                lines and branches of the product, in .hub/coverage
  npm test -- --campaign <commit>       all, and one campaign that the commit's hash chooses
The suite is described in ops/docs/testing.md`

/** The exit status of `--list`: 1 if a word is neither a source file nor a test, or if there is none. */
const statusOfList = (args: ReadonlyArray<string>): number => {
  const others = args.filter((arg) => !isSource(arg) && !isTestFile(arg))
  for (const other of others)
    console.log(`${other} is neither a source file of actors, edge, schemas or ops nor a test`)
  if (args.length === 0) console.log(`${LIST} needs source files, or ${CHANGED}`)
  return args.length > 0 && others.length === 0 ? 0 : 1
}

/** Resolves to the exit status. */
export async function test(given: ReadonlyArray<string>): Promise<number> {
  if (given.includes("--help") || given.includes("-h")) {
    console.log(HELP)
    return 0
  }
  stopOnSignal()
  const began = Date.now()
  const changed = given.includes(CHANGED) ? changedFiles(projectRoot) : []
  const args = [...new Set([...given.filter((arg) => arg !== CHANGED && arg !== LIST), ...changed])]
  if (given.includes(CHANGED) && changed.length === 0) {
    console.log("neither a source file nor a test has changed\n\n0 passed, 0 failed")
    return 0
  }
  const named = withTestsOf(args)
  if (given.includes(LIST)) return statusOfList(args)
  if (args.some(isSource) && named.every((arg) => arg.startsWith("-"))) {
    console.log("\n0 passed, 0 failed")
    return 0
  }
  const { vitest, files, coverage, campaign } = readArguments(named)
  const looking = { env: process.env, progress: (line: string) => console.error(line), signal: unwanted.signal }
  await findNatsServer({ ...looking, dataDir: dataFolder(process.env) })
  await findChromium(looking)
  await findHeadlessChromium(looking)
  await findDocker(looking)
  await findLanguages(looking)
  await findPrometheus(looking)
  await ensurePrograms(looking)
  const counts: Array<Count> = []
  for (const step of files ? [] : steps()) counts.push(await runStep(step))
  const { remarks, ...tests } = await runTests([...(coverage ? coverageFlags() : []), ...vitest])
  counts.push(tests)
  if (campaign !== null) {
    const seconds = campaignSeconds(Date.now() - began)
    const command = [...node(join("ops", "campaign", "main.ts")), "--commit", campaign, "--seconds", String(seconds)]
    if (seconds > 0) counts.push(await runStep({ name: "campaign", command }))
    else console.log("\n== campaign\nleft out: the tests took the time that a build machine has")
  }
  const passed = counts.reduce((sum, count) => sum + count.passed, 0)
  const failed = counts.reduce((sum, count) => sum + count.failed, 0) + (interrupted ? 1 : 0)
  // Remarks are printed at the end, because many readers look only at the last lines.
  for (const remark of remarks) console.log(remark.replaceAll(`${projectRoot}/`, ""))
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
