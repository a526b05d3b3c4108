/** `hub questions`, and nodes that are given a folder of questions: as processes, for their output and exit status. */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { projectRoot } from "../../../ops/launcher/paths.ts"
import { programPath } from "../../harness/index.ts"

const CONFIGURATION_FAULT = 78

interface Ended {
  readonly status: number
  readonly output: string
  readonly errors: string
}

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--no-warnings", ...args],
      { cwd: projectRoot, env: { ...process.env, ...env } },
      (_error, output, errors) => {
        resolve({ status: child.exitCode ?? -1, output, errors })
      }
    )
  })

const hub = async (...args: ReadonlyArray<string>): Promise<Ended> =>
  run([await programPath("hub"), "questions", ...args])

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-sample-"))
})
afterAll(() => rm(folder, { recursive: true }))

describe("hub questions", () => {
  it("samples prompts without answers, the same for the same seed, and grades what was answered", async () => {
    const key = join(folder, "key.jsonl")
    const given = join(folder, "given.jsonl")
    const sampled = await hub("sample", "--count", "12", "--seed", "tuesday", "--answers", key)
    expect(sampled.status).toBe(0)
    expect((await hub("sample", "--count", "12", "--seed", "tuesday")).output).toBe(sampled.output)
    const questions = sampled.output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(questions.map((question) => Object.keys(question))).toEqual(questions.map(() => ["id", "prompt"]))
    const keys = (await readFile(key, "utf8"))
      .trim()
      .split("\n")
      .map(
        (line) => JSON.parse(line) as { readonly id: string; readonly answer: string; readonly format: string | null }
      )
    expect(keys.length).toBe(12)

    await writeFile(given, keys.map(({ id, answer }) => JSON.stringify({ id, answer })).join("\n"))
    expect(await hub("grade", given, "--answers", key)).toMatchObject({
      status: 0,
      output: expect.stringContaining("12 of 12 (100.0 %)") as string
    })
    await writeFile(
      given,
      keys
        .slice(1)
        .map(({ id, answer }) => JSON.stringify({ id, answer }))
        .join("\n")
    )
    expect(await hub("grade", given, "--answers", key)).toMatchObject({
      status: 1,
      output: expect.stringMatching(/wrong: s1 \([\w-]+\): null[\s\S]*11 of 12 \(91\.7 %\)/) as string
    })
    expect((await hub("sample", "--answers", key)).errors).toContain("exists already")
  })

  it.each([
    [["sample", "--count", "0"], "--count takes a whole number"],
    [["grade", "missing.jsonl", "--answers", "missing.jsonl"], "cannot be read"],
    [["check"], "questions check needs <folder>"],
    [["check", "no-such-folder"], "no folder that can be read"],
    [["grade"], "questions grade needs <given>"],
    [[], "questions takes one of sample, grade, check, draft"]
  ])("%j says what it wants", async (args, problem) => {
    const { status, errors } = await hub(...args)
    expect(status).toBe(1)
    expect(errors).toContain(problem)
  })
})

describe("words of a deployment's own", () => {
  it("are checked before a node gets them", async () => {
    expect(await hub("check", "ops/bench/questions/banks/harbour")).toMatchObject({
      status: 0,
      output: "enough words of your own, and no fault found\n"
    })
    const few = await mkdtemp(join(folder, "few-"))
    await writeFile(
      join(few, "few.jsonl"),
      '{"type":"clause","family":"stickers","act":"up","texts":["{p} won {q} {w}"]}'
    )
    expect(await hub("check", few)).toMatchObject({
      status: 1,
      output: expect.stringMatching(/^clause stickers up: 1 of 30$/m) as string
    })
  })

  it("are wanted in production: a node without them stops", async () => {
    const env = {
      HUB_ENV: "production",
      HUB_DATABASE_URL: "postgres://127.0.0.1:1/none",
      HUB_NATS_URL: "nats://127.0.0.1:1",
      HUB_SERVER_KEY: Buffer.alloc(32, 1).toString("base64"),
      HUB_QUESTIONS: ""
    }
    const refused = await run([await programPath("actor")], env)
    expect([refused.status, refused.errors]).toEqual([
      CONFIGURATION_FAULT,
      expect.stringMatching(
        /^HUB_QUESTIONS must hold words of your own, [^\n]+ such as clause [\w-]+ \w+: 0 of 30;[^\n]+\n$/
      )
    ])
  })
})

describe("a node whose HUB_QUESTIONS is wrong", () => {
  it("stops before it opens anything, with one line that names file and field", async () => {
    await writeFile(join(folder, "own.json"), '[{"type":"measure","n":"nine","phrase":"steps"}]')
    const env = {
      HUB_ENV: "development",
      HUB_DATA: folder,
      HUB_QUESTIONS: folder,
      HUB_DATABASE_URL: "postgres://127.0.0.1:1/none",
      HUB_NATS_URL: "nats://127.0.0.1:1"
    }
    await rm(join(folder, "given.jsonl"), { force: true })
    await rm(join(folder, "key.jsonl"), { force: true })
    const { status, errors } = await run([await programPath("actor")], env)
    expect(status).toBe(CONFIGURATION_FAULT)
    expect(errors).toMatch(/^HUB_QUESTIONS: own\.json record 1: n: [^\n]+\n$/)
  })
})
