/** `hub-agent` as it is run, a process of its own; and its command lines in this process, which spares the start of one. */
import { spawn } from "node:child_process"
import { Readable } from "node:stream"
import { runCommandLine } from "../../../edge/sdk/cli/run.ts"
import { harmless } from "../../../schemas/printed.ts"
import { projectRoot } from "../../../ops/launcher/paths.ts"
import { programPath } from "../../harness/index.ts"

const TIMEOUT_MS = 180_000

export interface Ran {
  readonly status: number | null
  readonly out: string
  readonly errors: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
  /** Called with what was written to standard output so far; what it gives is written to standard input. */
  readonly onOutput?: (out: string) => string | undefined | Promise<string | undefined>
  /** The program, where it is not the sources'. */
  readonly program?: string
}

/** Nothing of the tests' own environment changes what it does. */
const environment = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...more }
}

export async function runCli(args: ReadonlyArray<string>, options: RunOptions = {}): Promise<Ran> {
  const program = options.program ?? (await programPath("agent"))
  return await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--no-warnings", program, ...args], {
      env: environment(options.env),
      cwd: options.cwd ?? projectRoot,
      timeout: TIMEOUT_MS
    })
    let [out, errors] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      out += chunk
      if (options.onOutput === undefined) return
      Promise.resolve(options.onOutput(out)).then((answer) => answer !== undefined && child.stdin.write(answer), reject)
    })
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      errors += chunk
    })
    child.stdin.on("error", () => undefined)
    child.once("error", reject)
    child.once("close", (status) => resolve({ status, out, errors }))
    if (options.onOutput === undefined) child.stdin.end(options.input ?? "")
  })
}

/** What it would write, and its exit status. Not for what a process does to itself or to its terminal. */
export async function runHere(
  args: ReadonlyArray<string>,
  options: Pick<RunOptions, "env" | "input" | "cwd"> = {}
): Promise<Ran> {
  let [out, errors] = ["", ""]
  const status = await runCommandLine(args, {
    env: environment(options.env),
    cwd: options.cwd ?? projectRoot,
    stdin: Readable.from([options.input ?? ""], { objectMode: false }) as unknown as NodeJS.ReadStream,
    write: (text) => {
      out += text
    },
    warn: (line) => {
      errors += `${harmless(line)}\n`
    },
    fail: (line) => {
      errors += `${line}\n`
    }
  })
  return { status, out, errors }
}
