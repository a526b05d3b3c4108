/** The programs of the library's entries, saved into a folder as a reader would, and run against a real service. */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process"
import { mkdtemp, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { entriesIn } from "../../ops/cli/library-folder.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { STARTER_LIBRARY } from "../../ops/launcher/starter-library.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { type Block, blocksOf } from "./blocks.ts"

const execute = promisify(execFile)
/** For what hangs. */
const TIMEOUT_MS = 180_000

const blocks: ReadonlyArray<Block> = (await entriesIn(STARTER_LIBRARY)).flatMap(blocksOf)

/** By the language of a block, what runs it, and how to ask whether it is there. */
const RUNNERS = {
  ts: [process.execPath, "--version"],
  python: ["python3", "--version"],
  sh: ["openssl", "version"],
  rust: ["rustc", "--version"],
  go: ["go", "version"]
} as const satisfies Readonly<Record<string, readonly [string, string]>>

const isThere = ([program, question]: readonly [string, string]): boolean =>
  spawnSync(program, [question], { stdio: "ignore" }).status === 0

/** Those that this machine can run. */
export const languages: ReadonlyArray<string> = Object.entries(RUNNERS).flatMap(([language, runner]) =>
  isThere(runner) ? [language] : []
)

export let service: TestService
export let edge: string
export let folder: string
/** Files that a test has asked for. */
const used = new Set<string>()

export const unused = (): ReadonlyArray<string> =>
  blocks.flatMap(({ name, language }) =>
    name === null || used.has(name) || !languages.includes(language) ? [] : [name]
  )

export const openPrograms = async (): Promise<void> => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  folder = await mkdtemp(join(await testFolder("library"), "programs-"))
  for (const { name, text } of blocks) if (name !== null) await writeFile(join(folder, name), text)
}
export const closePrograms = async (): Promise<void> => service?.stop()

/** A file of the entries, by its name. */
export const file = (name: string): string => {
  if (!blocks.some((block) => block.name === name)) throw new Error(`no entry has ${name}`)
  used.add(name)
  return name
}

export interface Agent {
  readonly client: AgentClient
  readonly registered: Registered
  /** What its programs find in the environment. */
  readonly env: Readonly<Record<string, string>>
}

let agents = 0

/** An agent whose key lies in a file of its own. */
export const anAgent = async (): Promise<Agent> => {
  const client = new AgentClient({ edge: () => edge })
  const registered = await register(client, { edge })
  const key = `key-${agents++}.pem`
  const pem = client.identity.privateKey.export({ format: "pem", type: "pkcs8" })
  await writeFile(join(folder, key), pem, { mode: 0o600 })
  return { client, registered, env: { HUB_KEY: key } }
}

type Env = Readonly<Record<string, string>>

const environment = (env: Env): NodeJS.ProcessEnv => ({ ...process.env, HUB_URL: edge, ...env })

export interface Ran {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export const run = async (command: string, args: ReadonlyArray<string>, env: Env = {}): Promise<Ran> => {
  try {
    const running = execute(command, args, { cwd: folder, timeout: TIMEOUT_MS, env: environment(env) })
    running.child.stdin?.end()
    return { ...(await running), status: 0 }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string }
    if (typeof code !== "number") throw error
    return { status: code, stdout, stderr }
  }
}

/** What it wrote, where it ended well. */
export const said = async (command: string, args: ReadonlyArray<string>, env: Env = {}): Promise<string> => {
  const { status, stdout, stderr } = await run(command, args, env)
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`)
  return stdout
}

export interface Running {
  readonly child: ChildProcess
  /** Whole lines of its output, each of them JSON. */
  readonly told: () => ReadonlyArray<unknown>
  readonly stop: () => Promise<void>
}

/** A program that goes on until it is stopped. */
export const begin = (command: string, args: ReadonlyArray<string>, env: Env = {}): Running => {
  const child = spawn(command, args, { cwd: folder, env: environment(env), stdio: ["ignore", "pipe", "pipe"] })
  let [output, errors] = ["", ""]
  child.stdout.on("data", (chunk) => (output += String(chunk)))
  child.stderr.on("data", (chunk) => (errors += String(chunk)))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  return {
    child,
    told: () => {
      if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended with ${child.exitCode}: ${errors}`)
      const lines = output.split("\n").slice(0, -1)
      return lines.map((line) => JSON.parse(line) as unknown)
    },
    stop: async () => {
      child.kill("SIGKILL")
      await ended
    }
  }
}

export interface Serving extends Running {
  readonly url: string
}

/** One that serves HTTP, once it does. */
export const serve = async (command: string, args: ReadonlyArray<string>, env: Env = {}): Promise<Serving> => {
  const port = await drawPort()
  const running = begin(command, args, { ...env, PORT: String(port) })
  const url = `http://127.0.0.1:${port}`
  await waitFor(async () => running.told() && (await fetch(url, { method: "POST", body: "x" })).status > 0, {
    describe: `${args.join(" ")} to serve`
  })
  return { ...running, url }
}
