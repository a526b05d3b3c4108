/** Runs the launcher as a process of its own and watches what it writes. */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { RunFile } from "../../ops/launcher/data-folder.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { isRunning } from "../../ops/launcher/proc.ts"
import { programPath, testFolder, waitFor } from "../harness/index.ts"

const PRODUCT = join(projectRoot, "ops", "launcher", "main.ts")

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly afterMs: number
}

export class Launcher {
  readonly dataDir: string
  readonly port: number
  readonly process: ChildProcess
  stdout = ""
  stderr = ""
  readonly ended: Promise<Ended>

  constructor(program: string, dataDir: string, port: number, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) {
    this.dataDir = dataDir
    this.port = port
    this.process = spawn(process.execPath, ["--no-warnings", program, ...args], {
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        HUB_TEST_PORTS: process.env["HUB_TEST_PORTS"],
        HUB_DATA: dataDir,
        HUB_PORT: String(port),
        ...env
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.process.stdout?.on("data", (chunk: Buffer) => (this.stdout += chunk.toString("utf8")))
    this.process.stderr?.on("data", (chunk: Buffer) => (this.stderr += chunk.toString("utf8")))
    const begin = Date.now()
    this.ended = new Promise((resolve) => {
      this.process.once("close", (code, signal) => resolve({ code, signal, afterMs: Date.now() - begin }))
    })
  }

  get runFile(): string {
    return join(this.dataDir, "run.json")
  }

  run(): RunFile {
    return JSON.parse(readFileSync(this.runFile, "utf8")) as RunFile
  }

  /** Every process that run.json names now. */
  pids(): ReadonlyArray<number> {
    const run = this.run()
    const alone = [run.mail, run.keeper, run.runtime].filter((entry) => entry !== undefined)
    const all = [run.nats, run.postgres, ...run.edges, ...run.actors, ...alone].map((entry) => entry.pid)
    return all.filter((pid) => pid !== null)
  }

  async ready(): Promise<this> {
    await waitFor(() => (this.process.exitCode === null ? this.stdout.includes("ready ") : "it has ended"), {
      describe: "the launcher's ready line"
    })
    if (this.process.exitCode !== null) throw new Error(`the launcher ended: ${this.stderr}`)
    return this
  }

  async end(signal: NodeJS.Signals): Promise<Ended> {
    const begin = Date.now()
    this.process.kill(signal)
    return { ...(await this.ended), afterMs: Date.now() - begin }
  }
}

const launchers = new Set<Launcher>()

export interface LaunchOptions {
  readonly args?: ReadonlyArray<string>
  /** The product's own nodes, in place of the small ones of these tests. */
  readonly product?: boolean
  readonly env?: NodeJS.ProcessEnv
  /** A folder or port used before. */
  readonly dataDir?: string
  readonly port?: number
}

export async function launch(options: LaunchOptions = {}): Promise<Launcher> {
  const dataDir = options.dataDir ?? (await testFolder("launcher"))
  const { product = false, args = [] } = options
  const launcher = new Launcher(
    product ? PRODUCT : await programPath("launch"),
    dataDir,
    options.port ?? (await drawPort()),
    product ? ["start", ...args] : args,
    options.env ?? {}
  )
  launchers.add(launcher)
  return launcher
}

/** For afterEach: no test leaves a launcher behind, whatever became of it. */
export async function endLaunchers(): Promise<void> {
  for (const launcher of launchers) {
    if (launcher.process.exitCode === null && launcher.process.signalCode === null) await launcher.end("SIGTERM")
  }
  launchers.clear()
}

export async function untilGone(pids: ReadonlyArray<number>): Promise<void> {
  await waitFor(
    () => {
      const left = pids.filter(isRunning)
      if (left.length > 0) throw new Error(`still running: ${left.join(", ")}`)
      return true
    },
    { describe: `the end of ${pids.join(", ")}` }
  )
}
