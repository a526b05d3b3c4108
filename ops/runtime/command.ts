/**
 * Runs a program with a time limit. It is ended together with all of its processes, and a failure is described in one
 * line.
 */
import { spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { LaunchFault } from "../launcher/fault.ts"
import { signalProcess } from "../launcher/proc.ts"

const KEPT_CHARS = 4_000
const TOLD_CHARS = 400
const KILL_AFTER_MS = 5_000

export interface Command {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly timeoutMs: number
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
  readonly signal?: AbortSignal | undefined
  /** Called with each line that the program writes to standard error. */
  readonly onLine?: (line: string) => void
}

export interface Running {
  readonly output: Readable
  /** Rejects if the command fails. */
  readonly ended: Promise<void>
}

const lastOf = (text: string): string => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  return (lines.findLast((line) => /^E:|error/i.test(line)) ?? lines.at(-1) ?? "it said nothing").slice(-TOLD_CHARS)
}

/** Starts the program in a new session and ends the whole process group, so that no process of it continues. */
export const startCommand = (command: Command): Running => {
  const { program, args, timeoutMs, env = process.env, input = "", signal, onLine } = command
  if (signal?.aborted === true) throw new LaunchFault(`${program} was interrupted`)
  const child = spawn(program, [...args], { env, stdio: ["pipe", "pipe", "pipe"], detached: true })
  let words = ""
  const end = (): void => {
    if (child.pid === undefined) return
    const group = -child.pid
    signalProcess(group, "SIGTERM")
    setTimeout(() => signalProcess(group, "SIGKILL"), KILL_AFTER_MS).unref()
  }
  const timer = setTimeout(end, timeoutMs)
  signal?.addEventListener("abort", end, { once: true })
  child.stderr.on("data", (chunk: Buffer) => {
    const text = chunk.toString("utf8")
    words = (words + text).slice(-KEPT_CHARS)
    for (const line of text.split("\n")) if (line.trim() !== "") onLine?.(line.trim())
  })
  child.stdin.on("error", () => undefined).end(input)
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", (cause) => reject(new LaunchFault(`cannot run ${program}: ${cause.message}`)))
    child.once("close", (code) => {
      if (code === 0) resolve()
      else if (signal?.aborted === true) reject(new LaunchFault(`${program} was interrupted`))
      else reject(new LaunchFault(`${program} failed: ${lastOf(words)}`))
    })
  }).finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener("abort", end)
  })
  // A caller that only reads the output does not await `ended`. Its rejection must not end this process.
  ended.catch(() => undefined)
  return { output: child.stdout, ended }
}

export const runCommand = (command: Command): Promise<void> => {
  const { output, ended } = startCommand(command)
  output.resume()
  return ended
}
