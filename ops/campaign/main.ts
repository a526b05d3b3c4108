/**
 * `npm run campaign -- <name>`: a random search that takes longer than `npm test` may. It runs the tests' own code,
 * with other seeds and more rounds.
 *
 * `npm run campaign -- --commit <hash>` runs one file of `tests/campaign/` once, for at most `CAMPAIGN_SECONDS_MAX` or
 * `--seconds`. The hash chooses the file and the seed, so that each commit tries another one and a repetition tries the same. A file that
 * takes longer is stopped. If no test had failed by then, the run counts as passed.
 *
 * The seed decides victims, moments and requests, and is printed. The timing of the machine does not depend on it.
 */
import { createHash, randomInt } from "node:crypto"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { helpOf, type Program, readCommandLine } from "../../schemas/runtime/command-line.ts"
import { exitWith } from "../launcher/exit.ts"
import { projectRoot } from "../launcher/paths.ts"
import { CAMPAIGN_SECONDS_MAX } from "../launcher/test.ts"
import { makeTestFolder, removeTestFolder } from "../launcher/test-folder.ts"
import { spawnTied, type TiedProcess } from "../launcher/tied.ts"
import { type Campaign, CAMPAIGNS } from "./campaigns.ts"

const SEED_MAX = 2 ** 31
const ROUNDS_MAX = 100_000
const STOP_GRACE_MS = 30_000

interface Run {
  readonly seed: number
  readonly rounds: number
  readonly seconds: number
  readonly passed: number
  /** The number of tests whose failure vitest reported; 0 if it ended without a report. */
  readonly reported: number
  readonly failed: ReadonlyArray<{ readonly test: string; readonly messages: ReadonlyArray<string> }>
}

interface Report {
  readonly campaign: string
  readonly seed: number
  readonly rounds: number
  readonly runs: ReadonlyArray<Run>
}

interface VitestReport {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly fullName: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

class Refused extends Error {}

const CAMPAIGN: Program<{ readonly usage: ReadonlyArray<string> }> = {
  name: "npm run campaign --",
  commands: [
    {
      usage: ["<name> [--seed <number>] [--rounds <number>] [--report <file>]", "--commit <hash> [--seconds <number>]"]
    }
  ],
  refuse: (reason) => new Refused(`${reason}\n${usage()}`)
}

const usage = (): string =>
  [
    helpOf(CAMPAIGN, CAMPAIGN.commands),
    "campaigns:",
    ...Object.entries(CAMPAIGNS).map(([name, { what, rounds }]) => `  ${name.padEnd(14)} ${what}; ${rounds} rounds`)
  ].join("\n")

type Values = { readonly [Name in "seed" | "rounds" | "report" | "commit" | "seconds"]?: string }

const whole = (name: string, text: string | undefined, most: number): number | undefined => {
  if (text === undefined) return undefined
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new Refused(`--${name} takes a whole number from 1 to ${most}`)
  return number
}

let current: TiedProcess | undefined
const interruption = new AbortController()

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    interruption.abort()
    void current?.stop(STOP_GRACE_MS)
  })
}

/** The tests get `rounds`. Without it each file makes its own number of rounds, as many as its claims need. */
async function runOnce({ files, only, archived }: Campaign, seed: number, rounds?: number): Promise<Run> {
  const folder = await makeTestFolder()
  const file = join(folder, "report.json")
  const began = performance.now()
  const vitest = join(projectRoot, "node_modules", ".bin", "vitest")
  try {
    current = await spawnTied({
      // Runs one file at a time, without a time limit for a test.
      command: [
        process.execPath,
        vitest,
        "run",
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${file}`,
        "--testTimeout=0",
        "--maxWorkers=1",
        ...(only === undefined ? [] : ["-t", only]),
        ...files
      ],
      cwd: projectRoot,
      env: {
        ...process.env,
        HUB_TEST_FOLDER: folder,
        HUB_TEST_SEED: String(seed),
        HUB_TEST_CAMPAIGN: "true",
        ...(archived === true ? { HUB_TEST_ARCHIVE: "true" } : {}),
        ...(rounds === undefined ? {} : { HUB_TEST_ROUNDS: String(rounds) })
      },
      stdio: ["ignore", "inherit", "inherit"],
      stopSignal: "SIGTERM"
    })
    const { code } = await current.exited
    const { testResults } = JSON.parse(await readFile(file, "utf8").catch(() => `{"testResults":[]}`)) as VitestReport
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
    const failed = tests
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => ({ test: fullName, messages: failureMessages }))
    const passed = tests.filter(({ status }) => status === "passed").length
    const silent = failed.length === 0 && (code !== 0 || passed === 0)
    return {
      seed,
      rounds: rounds ?? 1,
      seconds: Math.round((performance.now() - began) / 1000),
      passed,
      reported: failed.length,
      failed: silent
        ? [
            {
              test: files.join(", "),
              messages: [
                `vitest ended with ${code}`,
                ...testResults.map(({ message }) => message).filter((message) => message !== "")
              ]
            }
          ]
        : failed
    }
  } finally {
    current = undefined
    await removeTestFolder(folder)
  }
}

const commandOf = (campaign: string, seed: number, rounds: number): string =>
  `npm run campaign -- ${campaign} --seed ${seed} --rounds ${rounds}`

const toldOf = ({ campaign, seed, rounds, runs }: Report, again = commandOf(campaign, seed, rounds)): string => {
  const bad = runs.flatMap((run) =>
    run.failed.map(({ test, messages }) => `  seed ${run.seed}: ${test}\n    ${(messages[0] ?? "").split("\n")[0]}`)
  )
  const seconds = runs.reduce((sum, run) => sum + run.seconds, 0)
  return [
    `\n${campaign}: ${rounds} rounds in ${seconds} s, seed ${seed}; ${bad.length === 0 ? "nothing found" : `${bad.length} found`}`,
    ...bad,
    `again: ${again}`
  ].join("\n")
}

async function ofCommit(
  hash: string
): Promise<{ readonly campaign: Campaign; readonly name: string; readonly seed: number }> {
  const folder = "tests/campaign"
  const files = (await readdir(join(projectRoot, folder))).filter((file) => file.endsWith(".test.ts")).toSorted()
  const drawn = createHash("sha256").update(hash).digest()
  const file = files[drawn.readUInt32BE(0) % files.length] ?? ""
  const campaign = { what: file, files: [`${folder}/${file}`], rounds: 1, repeats: true }
  return { campaign, name: file, seed: 1 + (drawn.readUInt32BE(4) % (SEED_MAX - 2)) }
}

async function runForCommit(hash: string, seconds: number): Promise<number> {
  const { campaign, name, seed } = await ofCommit(hash)
  process.stdout.write(`campaign of commit ${hash}: ${name}, seed ${seed}\n`)
  let late = false
  const bound = setTimeout(() => {
    late = true
    interruption.abort()
    void current?.stop(STOP_GRACE_MS)
  }, seconds * 1000)
  const run = await runOnce(campaign, seed)
  clearTimeout(bound)
  if (late && run.reported === 0) {
    process.stdout.write(`${name} was not done after ${seconds} seconds and found nothing until then\n`)
    return 0
  }
  process.stdout.write(
    `${toldOf({ campaign: name, seed, rounds: 1, runs: [run] }, `npm run campaign -- --commit ${hash}`)}\n`
  )
  return run.failed.length > 0 ? 1 : 0
}

async function main(args: ReadonlyArray<string>): Promise<number> {
  const read = readCommandLine(CAMPAIGN, args)
  if (read.is !== "command") {
    process.stdout.write(`${usage()}\n`)
    return 0
  }
  const [values, [name = ""]] = [read.args.values as Values, read.args.positionals]
  if (values.commit !== undefined)
    return runForCommit(values.commit, whole("seconds", values.seconds, CAMPAIGN_SECONDS_MAX) ?? CAMPAIGN_SECONDS_MAX)
  const campaign = Object.hasOwn(CAMPAIGNS, name) ? CAMPAIGNS[name] : undefined
  if (campaign === undefined) throw new Refused(`there is no campaign ${name}\n${usage()}`)
  const rounds = whole("rounds", values.rounds, ROUNDS_MAX) ?? campaign.rounds
  const seed = whole("seed", values.seed, SEED_MAX) ?? randomInt(1, SEED_MAX - ROUNDS_MAX)
  const runs: Array<Run> = []
  for (let round = 0; round < (campaign.repeats ? rounds : 1) && !interruption.signal.aborted; round++)
    runs.push(await runOnce(campaign, seed + round, campaign.repeats ? undefined : rounds))
  const report: Report = { campaign: name, seed, rounds, runs }
  if (values.report !== undefined) await writeFile(values.report, `${JSON.stringify(report, null, 2)}\n`)
  process.stdout.write(`${toldOf(report)}\n`)
  return interruption.signal.aborted || runs.some(({ failed }) => failed.length > 0) ? 1 : 0
}

/** Describes an error. Only unexpected errors have their stack. */
const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error instanceof Refused || "code" in error ? error.message : String(error.stack)
}

const status = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${errorText(error)}\n`)
  return 1
})
await exitWith(status)
