/** `hub questions draft`: a bank from any command that answers a prompt, and what is done about bad answers. */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readBank } from "../../../actors/registration/questions/bank/own.ts"
import { wordsWanting } from "../../../actors/registration/questions/bank/wanted.ts"
import { byCommand, jsonIn, made, piecesOf } from "../../../ops/questions/draft.ts"
import { faultsOf, separability } from "../../../ops/questions/judge.ts"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { projectRoot } from "../../../ops/launcher/paths.ts"
import { programPath } from "../../harness/index.ts"

const WRITER = `${process.execPath} ${join(import.meta.dirname, "writer.mjs")}`

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-draft-"))
})
afterAll(() => rm(folder, { recursive: true }))

const draft = (
  into: string,
  ...args: ReadonlyArray<string>
): Promise<{ status: number; output: string; errors: string }> =>
  new Promise((resolve, reject) => {
    programPath("hub").then((hub) => {
      const child = execFile(
        process.execPath,
        ["--no-warnings", hub, "questions", "draft", into, ...args],
        { cwd: projectRoot, maxBuffer: 10_000_000 },
        (_error, output, errors) => resolve({ status: child.exitCode ?? -1, output, errors })
      )
    }, reject)
  })

describe("hub questions draft", () => {
  it("writes all that a bank lacks, leaves out what a second reading doubts, and shows what came of it", async () => {
    const into = join(folder, "all")
    const { status, output, errors } = await draft(into, "--solver", WRITER)
    expect([status, errors.split("\n").filter((line) => !/^\d+ of \d+: /.test(line) && line !== "")]).toEqual([0, []])
    const read = readBank(into)
    if (!read.ok) throw new Error(read.problem)
    expect(wordsWanting(read.bank)).toEqual([])
    const text = await readFile(join(into, "drafted.jsonl"), "utf8")
    expect(text).not.toContain("without its slots")
    expect(output).toMatch(/words alone tell 100 % of the texts apart/)
    expect(output.match(/^ {3}right: /gm)?.length).toBe(5)
    // With nothing missing, nothing is asked.
    const again = await draft(into, "--solver", "false")
    expect([again.status, again.errors]).toEqual([0, ""])
    expect(await readFile(join(into, "drafted.jsonl"), "utf8")).toBe(text)
  })

  it("names the pieces of which no answer was any use, and keeps the others", async () => {
    const into = join(folder, "some")
    const first = await draft(into, "--solver", WRITER, "--count", "2")
    expect([first.status, first.output]).toEqual([1, expect.stringContaining("it asks for what is still missing")])
    const kept = await readFile(join(into, "drafted.jsonl"), "utf8")
    const failing = await draft(into, "--solver", "echo no JSON", "--count", "1")
    expect([failing.status, failing.output]).toEqual([1, expect.stringMatching(/^clause \w+: .+\n/)])
    expect(await readFile(join(into, "drafted.jsonl"), "utf8")).toBe(kept)
  })

  it.each([
    [[], "questions draft needs --solver <command>"],
    [["--solver", WRITER, "--count", "none"], "--count takes a whole number"]
  ])("with %j says what it wants", async (args, problem) => {
    const { status, errors } = await draft(join(folder, "none"), ...args)
    expect([status, errors]).toEqual([1, expect.stringContaining(problem)])
  })
})

describe("a command that answers prompts", () => {
  it.each([
    ["exit 3", "status 3"],
    ["head -c 1500000 /dev/zero", "more than 1000000 bytes"],
    ["kill -9 $$", "a signal"]
  ])("%s is a reason to try again", async (command, problem) => {
    const [piece] = piecesOf(OUR_BANK)
    if (piece === undefined) throw new Error("nothing is wanted")
    expect(await made(piece, byCommand(command))).toEqual({ problem: expect.stringContaining(problem) })
  })

  it("may wrap its JSON in words", () => {
    expect(jsonIn('Sure!\n```json\n{"a": [1, {"b": 2}]}\n```')).toEqual({ a: [1, { b: 2 }] })
    expect(jsonIn("[1]")).toEqual([1])
    expect(() => jsonIn("no")).toThrow()
  })
})

describe("faults of a bank", () => {
  const check = async (records: ReadonlyArray<object>): Promise<ReadonlyArray<string>> => {
    const into = await mkdtemp(join(folder, "faults-"))
    await writeFile(join(into, "own.jsonl"), records.map((record) => JSON.stringify(record)).join("\n"))
    const read = readBank(into)
    if (!read.ok) throw new Error(read.problem)
    return faultsOf(read.bank)
  }
  const clause = (act: string, texts: ReadonlyArray<string>) => ({ type: "clause", family: "purse", act, texts })

  it.each([
    ["{p}'s purse grew by {q}", "takes no 's"],
    ["{q} were put into the purse of {p}", "no verb may agree"],
    ["{p} found {q} in his coat", "a woman or a man"]
  ])("%s: %s", async (text, fault) => {
    expect(await check([clause("up", [text])])).toEqual([expect.stringContaining(fault)])
  })

  it("are texts that stand twice, and words that tell what only the meaning should", async () => {
    const names = ["cook", "baker", "miller", "tailor", "smith", "judge"]
    const told = await check([
      clause(
        "up",
        names.map((one) => `{p} won {q} from the ${one}`)
      ),
      clause(
        "down",
        names.map((one) => `{p} lost {q} to the ${one}`)
      )
    ])
    expect(told).toEqual([
      expect.stringMatching(/^clause purse up and clause purse down: words alone tell 100 % .*won/)
    ])
    const twins = await check([
      clause(
        "up",
        names.map((one) => `the ${one} owed and paid {p} {q}`)
      ),
      clause(
        "down",
        names.map((one) => `{p} owed and paid the ${one} {q}`)
      )
    ])
    expect(twins).toEqual([])
    expect(await check([clause("up", ["{p} got {q}"]), clause("down", ["{p} got {q}"])])).toEqual([
      expect.stringContaining("stands in clause purse up as well")
    ])
  })

  it("are counted with each text unseen: twins cannot be told apart, opposite words can", () => {
    expect(separability(["a b c", "d e f", "g h i"], ["a b c", "d e f", "g h i"])).toBeLessThanOrEqual(0.5)
    expect(separability(["up one", "up two"], ["down one", "down two"])).toBe(1)
  })
})
