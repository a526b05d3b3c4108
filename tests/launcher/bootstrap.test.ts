/** The bootstrap in a small project of its own, with a program in npm's place that records how it was called. */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { isRunning } from "../../ops/launcher/proc.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { untilGone } from "./launcher.ts"

const NODE_PACKAGE = `node-${process.platform}-${process.arch}`

const npmProgram = `
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
const args = process.argv.slice(2)
appendFileSync("npm-calls", args.join(" ") + "\\n")
writeFileSync("npm-pid", String(process.pid))
const behaviour = process.env.NPM_BEHAVIOUR
if (behaviour === "endless") { setInterval(() => undefined, 1000); await new Promise(() => undefined) }
if (behaviour === "broken") { console.error("npm error the disk is full"); process.exit(1) }
if (behaviour === "incomplete lock" && args[0] === "ci") { console.error("npm error code EUSAGE"); process.exit(1) }
mkdirSync("node_modules/${NODE_PACKAGE}/bin", { recursive: true })
writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: { "node_modules/a": { version: "1.0.0" } } }))
symlinkSync(${JSON.stringify(process.execPath)}, "node_modules/${NODE_PACKAGE}/bin/node")
`

const mainProgram = `
const [verb, ...args] = process.argv.slice(2)
console.log(JSON.stringify({ verb, args, node: process.execPath, path: process.env.PATH }))
if (verb === "exit") process.exit(Number(args[0]))
if (verb === "wait") {
  process.on("SIGTERM", () => process.exit(7))
  process.on("disconnect", () => process.exit(8))
  console.log(process.pid)
}
`

class Run {
  readonly process: ChildProcess
  stdout = ""
  stderr = ""
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>

  constructor(root: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) {
    this.process = spawn(process.execPath, [join(root, "ops/launcher/bootstrap.mjs"), ...args], {
      env: { PATH: process.env["PATH"], npm_execpath: join(root, "npm.mjs"), ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.process.stdout?.on("data", (chunk: Buffer) => (this.stdout += chunk.toString("utf8")))
    this.process.stderr?.on("data", (chunk: Buffer) => (this.stderr += chunk.toString("utf8")))
    this.ended = new Promise((resolve) => this.process.once("close", (code, signal) => resolve({ code, signal })))
  }
}

let root: string

beforeEach(async () => {
  root = await testFolder("bootstrap")
  await mkdir(join(root, "ops", "launcher"), { recursive: true })
  await copyFile(join(projectRoot, "ops/launcher/bootstrap.mjs"), join(root, "ops/launcher/bootstrap.mjs"))
  await writeFile(join(root, "ops/launcher/main.ts"), mainProgram)
  await writeFile(join(root, "npm.mjs"), npmProgram)
  await writeLock("1.0.0")
})

async function writeLock(version: string): Promise<void> {
  const packages = { "": {}, "node_modules/a": { version }, "node_modules/b": { version: "2.0.0", optional: true } }
  await writeFile(join(root, "package-lock.json"), JSON.stringify({ packages }))
}

const runs = new Set<Run>()

function run(args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): Run {
  const it = new Run(root, args, env)
  runs.add(it)
  return it
}

afterEach(async () => {
  for (const it of runs) it.process.kill("SIGTERM")
  await Promise.all([...runs].map((it) => it.ended))
  runs.clear()
})

async function npmCalls(): Promise<ReadonlyArray<string>> {
  const text = await readFile(join(root, "npm-calls"), "utf8").catch(() => "")
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" ")[0] ?? "")
}

describe("packages", () => {
  test("are installed once, then the program runs on the Node among them", async () => {
    const first = run(["exit", "0"])
    expect((await first.ended).code).toBe(0)
    expect(first.stderr).toContain("installing packages with npm ci")
    const said = JSON.parse(first.stdout) as { readonly path: string }
    expect(said).toMatchObject({ verb: "exit", args: ["0"] })
    expect(said.path.startsWith(join(root, "node_modules", NODE_PACKAGE, "bin"))).toBe(true)
    const second = run(["exit", "0"])
    expect((await second.ended).code).toBe(0)
    expect(second.stderr).toBe("")
    expect(await npmCalls()).toEqual(["ci"])
  })

  test("are installed again when the lock file changes", async () => {
    await run(["exit", "0"]).ended
    await writeLock("1.0.1")
    await run(["exit", "0"]).ended
    expect(await npmCalls()).toEqual(["ci", "ci"])
  })

  test("that somebody installed by hand are taken as they are", async () => {
    await mkdir(join(root, "node_modules", NODE_PACKAGE, "bin"), { recursive: true })
    await symlink(process.execPath, join(root, "node_modules", NODE_PACKAGE, "bin", "node"))
    const found = { packages: { "node_modules/a": { version: "1.0.0" } } }
    await writeFile(join(root, "node_modules", ".package-lock.json"), JSON.stringify(found))
    expect((await run(["exit", "0"]).ended).code).toBe(0)
    expect(await npmCalls()).toEqual([])
  })

  test("are installed by one of two starts at the same time", async () => {
    const both = [run(["exit", "0"]), run(["exit", "0"])]
    expect(await Promise.all(both.map(async (it) => (await it.ended).code))).toEqual([0, 0])
    expect(await npmCalls()).toEqual(["ci"])
  })

  test("come by npm install where the registry lacks some of other platforms", async () => {
    expect((await run(["exit", "0"], { NPM_BEHAVIOUR: "incomplete lock" }).ended).code).toBe(0)
    expect(await npmCalls()).toEqual(["ci", "install"])
  })

  test.each(["SIGTERM", "SIGKILL"] as const)("stop being installed when we get a %s", async (signal) => {
    const endless = run(["start"], { NPM_BEHAVIOUR: "endless" })
    const pid = await waitFor(async () => Number(await readFile(join(root, "npm-pid"), "utf8")), { describe: "npm" })
    endless.process.kill(signal)
    expect(await endless.ended).toMatchObject(signal === "SIGTERM" ? { code: 0 } : { signal })
    await untilGone([pid])
  })

  test("that cannot be installed end the start with npm's words and one line", async () => {
    const broken = run(["exit", "0"], { NPM_BEHAVIOUR: "broken" })
    expect((await broken.ended).code).toBe(1)
    expect(broken.stderr).toContain("npm error the disk is full\nhub: npm could not install the packages")
    expect(broken.stdout).toBe("")
  })
})

async function waiting(): Promise<{ readonly it: Run; readonly pid: number }> {
  const it = run(["wait"])
  await waitFor(() => it.stdout.trim().split("\n").length === 2, { describe: "the waiting program" })
  return { it, pid: Number(it.stdout.trim().split("\n")[1]) }
}

describe("the program", () => {
  test("gives its status back", async () => {
    expect((await run(["exit", "42"]).ended).code).toBe(42)
  })

  test("gets our signals", async () => {
    const { it } = await waiting()
    it.process.kill("SIGTERM")
    expect((await it.ended).code).toBe(7)
  })

  test("ends when we are killed", async () => {
    const { it, pid } = await waiting()
    expect(isRunning(pid)).toBe(true)
    it.process.kill("SIGKILL")
    await untilGone([pid])
  })

  test("ends when the npm that started us is killed", async () => {
    // A parent that ends at once stands for npm: we are handed to another parent while we run.
    const script = `
      const { spawn } = require("node:child_process")
      const child = spawn(process.execPath, [${JSON.stringify(join(root, "ops/launcher/bootstrap.mjs"))}, "wait"],
        { stdio: ["ignore", "pipe", "ignore"] })
      let text = ""
      child.stdout.on("data", (chunk) => {
        text += chunk
        if (text.trim().split("\\n").length === 2) process.stdout.write(text.trim().split("\\n")[1] + "\\n")
      })`
    const parent = spawn(process.execPath, ["-e", script], {
      env: { PATH: process.env["PATH"], npm_execpath: join(root, "npm.mjs"), npm_lifecycle_event: "wait" },
      stdio: ["ignore", "pipe", "ignore"]
    })
    let text = ""
    parent.stdout.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")))
    await waitFor(() => text.endsWith("\n"), { describe: "the pid of the program" })
    const pid = Number(text)
    expect(isRunning(pid)).toBe(true)
    parent.kill("SIGKILL")
    await untilGone([pid])
  })
})
