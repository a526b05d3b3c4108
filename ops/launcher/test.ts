/**
 * `npm test`: every check of the project, each shown as it runs, all of them even when one fails.
 *
 * The last line is `N passed, N failed` and counts tests and steps together. A test that was skipped or left to do
 * counts as failed, and so does a file that could not be loaded or a run without tests: green means that everything
 * was looked at.
 */
import { existsSync } from "node:fs"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { findChromium } from "./chromium.ts"
import { findDocker } from "./docker.ts"
import { ensurePrograms } from "../runtime/programs.ts"
import { findNatsServer } from "./nats-binary.ts"
import { dataFolder, projectRoot } from "./paths.ts"
import { makeTestFolder } from "./test-folder.ts"
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

const bin = (name: string) => join(projectRoot, "node_modules", ".bin", name)

let current: TiedProcess | undefined
let beside: TiedProcess | undefined
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
    readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
  }>
}

/** What a report of vitest amounts to, with a line for everything in it that is neither passed nor failed. */
export function countReport(report: Report, status: number): Count & { readonly remarks: ReadonlyArray<string> } {
  const remarks: Array<string> = []
  let passed = 0
  let failed = 0
  for (const file of report.testResults) {
    const failedBefore = failed
    for (const test of file.assertionResults) {
      if (test.status === "passed") passed += 1
      else failed += 1
      if (test.status !== "passed" && test.status !== "failed") remarks.push(`${test.status}: ${test.fullName}`)
    }
    if (file.assertionResults.length === 0) remarks.push(`no test ran: ${file.name}`)
    const broken = file.assertionResults.length === 0 || (file.status === "failed" && failed === failedBefore)
    if (broken) failed += 1
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

async function runTests(args: ReadonlyArray<string>): Promise<Count> {
  console.log("\n== tests")
  // Ours and not vitest's, so that it is removed even when vitest is killed.
  const folder = await makeTestFolder()
  const file = join(folder, "report.json")
  try {
    const failures = join("tests", "harness", "failures.ts")
    const reporters = ["--reporter=default", `--reporter=./${failures}`, "--reporter=json", `--outputFile.json=${file}`]
    const status = await runCommand([process.execPath, bin("vitest"), "run", ...reporters, ...args], {
      HUB_TEST_FOLDER: folder
    })
    const report = JSON.parse(await readFile(file, "utf8").catch(() => `{"testResults":[]}`)) as Report
    const { remarks, ...count } = countReport(report, status)
    for (const remark of remarks) console.log(remark)
    return count
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

function stop(): void {
  interrupted = true
  unwanted.abort()
  void current?.stop(STOP_GRACE_MS)
  void beside?.stop(STOP_GRACE_MS)
}

function stopOnSignal(): void {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop)
  if (process.connected) process.on("disconnect", stop)
}

function steps(): ReadonlyArray<Step> {
  const contracts = join("ops", "contracts", "write.ts")
  return [
    { name: "types", command: [bin("tsc"), "--noEmit"] },
    { name: "format", command: [bin("oxfmt"), "--check"] },
    { name: "lint", command: [bin("oxlint"), "--deny-warnings"] },
    ...(existsSync(join(projectRoot, contracts))
      ? [{ name: "generated files", command: [process.execPath, "--no-warnings", contracts, "--check"] }]
      : [])
  ]
}

/** It takes one core for a while; the first tests, of containers, leave it one. */
const BESIDE: Step = {
  name: "regular expressions",
  command: [process.execPath, "--no-warnings", join("ops", "check", "regular-expressions.ts")]
}

async function runBeside({ name, command }: Step): Promise<Count> {
  if (interrupted) return { passed: 0, failed: 1 }
  const stdio = ["ignore", "inherit", "inherit"] as const
  beside = await spawnTied({ command, cwd: projectRoot, env: process.env, stdio: [...stdio], stopSignal: "SIGTERM" })
  const { code } = await beside.exited
  beside = undefined
  console.log(code === 0 ? `${name}: passed` : `${name}: FAILED with status ${code}`)
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** Resolves with the exit status. Arguments go to vitest: npm test -- tests/launcher */
export async function test(args: ReadonlyArray<string>): Promise<number> {
  stopOnSignal()
  const looking = { env: process.env, progress: (line: string) => console.error(line), signal: unwanted.signal }
  await findNatsServer({ ...looking, dataDir: dataFolder(process.env) })
  await findChromium(looking)
  await findDocker(looking)
  await ensurePrograms(looking)
  const counts: Array<Count> = []
  for (const step of steps()) counts.push(await runStep(step))
  counts.push(...(await Promise.all([runBeside(BESIDE), runTests(args)])))
  const passed = counts.reduce((sum, count) => sum + count.passed, 0)
  const failed = counts.reduce((sum, count) => sum + count.failed, 0) + (interrupted ? 1 : 0)
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
