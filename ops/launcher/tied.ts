/**
 * Starts children that end with this process.
 *
 * - With setpriv the kernel itself sends the child its stop signal when this process dies, even by SIGKILL. Node
 *   children also have an IPC channel, and stop when it closes.
 * - Every child leads its own session, so Ctrl-C at the terminal reaches only this process, which ends the children in
 *   order.
 * - stop() always ends the child: it sends the stop signal, then SIGKILL after the grace. A frozen child is continued,
 *   because it could not handle the signal.
 */
import { spawn, spawnSync } from "node:child_process"
import type { ChildProcess, StdioOptions } from "node:child_process"
import { LaunchFault, messageOf } from "./fault.ts"
import { signalProcess } from "./proc.ts"

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface TiedProcess {
  readonly pid: number
  readonly process: ChildProcess
  readonly exited: Promise<Exit>
  readonly hasExited: () => boolean
  readonly stop: (graceMs?: number) => Promise<Exit>
  readonly kill: () => Promise<Exit>
  readonly freeze: () => void
  readonly thaw: () => void
}

export interface TiedOptions {
  readonly command: ReadonlyArray<string>
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly stdio?: StdioOptions
  /** The signal that makes the program end cleanly. */
  readonly stopSignal: NodeJS.Signals
  /** Options for setpriv in addition to the death signal, such as a change of user. */
  readonly privileges?: ReadonlyArray<string>
  /** A program that runs setpriv, such as unshare. */
  readonly wrapper?: ReadonlyArray<string>
}

const STOP_GRACE_MS = 5_000

let setprivKnown: boolean | undefined

/** True if a setpriv with the option --pdeathsig is installed. That of util-linux has it; that of busybox does not. */
export function hasSetpriv(): boolean {
  setprivKnown ??=
    process.platform === "linux" &&
    spawnSync("setpriv", ["--pdeathsig", "SIGTERM", "true"], { stdio: "ignore" }).status === 0
  return setprivKnown
}

export function describeExit(exit: Exit): string {
  return exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`
}

function fullCommand(options: TiedOptions): ReadonlyArray<string> {
  const wrapper = options.wrapper ?? []
  if (!hasSetpriv()) return [...wrapper, ...options.command]
  const tie = ["setpriv", ...(options.privileges ?? []), "--pdeathsig", options.stopSignal, "--"]
  return [...wrapper, ...tie, ...options.command]
}

export async function spawnTied(options: TiedOptions): Promise<TiedProcess> {
  const [program = "", ...args] = fullCommand(options)
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: options.stdio ?? ["ignore", "pipe", "pipe"],
    detached: true
  })
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }))
  })
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve)
    child.once("error", (cause) => reject(new LaunchFault(`cannot run ${options.command[0]}: ${messageOf(cause)}`)))
  })
  // Sending to a child that is about to die fails asynchronously. The error is ignored, because its exit is reported.
  child.on("error", () => undefined)
  return control(child, exited, options.stopSignal)
}

function control(child: ChildProcess, exited: Promise<Exit>, stopSignal: NodeJS.Signals): TiedProcess {
  const pid = child.pid ?? -1
  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  const send = (signal: NodeJS.Signals) => {
    if (!hasExited()) signalProcess(pid, signal)
  }
  const kill = () => {
    send("SIGKILL")
    return exited
  }
  const stop = async (graceMs = STOP_GRACE_MS) => {
    send(stopSignal)
    send("SIGCONT")
    const timer = setTimeout(() => send("SIGKILL"), graceMs)
    const exit = await exited
    clearTimeout(timer)
    return exit
  }
  return {
    pid,
    process: child,
    exited,
    hasExited,
    stop,
    kill,
    freeze: () => send("SIGSTOP"),
    thaw: () => send("SIGCONT")
  }
}
