/**
 * Reads the operating system's facts about a process id.
 *
 * Process ids are reused, so the start time is stored beside an id that must stay valid over a restart. A zombie still
 * answers kill(pid, 0), and stays for ever in a container whose first process does not reap it. Here it counts as
 * ended. There is one exception: a process of many threads is a zombie as soon as its first thread has ended, while the
 * others still hold its ports. It counts as ended when all of them have ended.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { patience } from "./patience.ts"

const POLL_MS = 20

const onLinux = process.platform === "linux"

interface Stat {
  readonly state: string
  readonly parent: number
  readonly startTime: string
}

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field is the program's name in brackets, which may itself contain spaces and brackets.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    return { state: fields[0] ?? "?", parent: Number(fields[1]), startTime: fields[19] ?? "" }
  } catch {
    return undefined
  }
}

function ps(pid: number, column: string): string {
  const result = spawnSync("ps", ["-p", String(pid), "-o", `${column}=`], { encoding: "utf8" })
  return result.status === 0 ? result.stdout.trim() : ""
}

function threadsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length
  } catch {
    return 0
  }
}

export function isRunning(pid: number): boolean {
  if (onLinux) {
    const stat = readStat(pid)
    return stat !== undefined && stat.state !== "X" && (stat.state !== "Z" || threadsOf(pid) > 1)
  }
  const state = ps(pid, "state")
  return state !== "" && !state.startsWith("Z")
}

/** Distinguishes two processes with the same id. Empty if there is no process. */
export function startTimeOf(pid: number): string {
  return onLinux ? (readStat(pid)?.startTime ?? "") : ps(pid, "lstart")
}

export function commandOf(pid: number): string {
  if (!onLinux) return ps(pid, "command")
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()
  } catch {
    return ""
  }
}

/** One variable of another process's environment, or undefined if it is unset or may not be read. */
export function environmentOf(pid: number, name: string): string | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")
    return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1)
  } catch {
    return undefined
  }
}

const liveProcesses = (): ReadonlyArray<number> =>
  onLinux
    ? readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
        .filter(isRunning)
    : []

export const processesIn = (directory: string): ReadonlyArray<number> =>
  liveProcesses().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === directory
    } catch {
      return false
    }
  })

export const processesWhose = (fits: (command: string) => boolean): ReadonlyArray<number> =>
  liveProcesses().filter((pid) => fits(commandOf(pid)))

export const childrenOf = (parent: number): ReadonlyArray<number> =>
  liveProcesses().filter((pid) => readStat(pid)?.parent === parent)

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Usually the process has ended already.
  }
}

/** Waits until none of the processes runs. Returns false if the deadline came first. */
export async function untilGone(pids: ReadonlyArray<number>, deadlineMs: number): Promise<boolean> {
  const isOver = patience(deadlineMs)
  while (pids.some(isRunning)) {
    if (isOver()) return false
    await delay(POLL_MS)
  }
  return true
}

/** Ends a process that is not our child: first with its stop signal, then with SIGKILL. */
export async function endProcess(pid: number, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  if (!isRunning(pid)) return
  signalProcess(pid, "SIGCONT")
  signalProcess(pid, signal)
  if (await untilGone([pid], graceMs)) return
  signalProcess(pid, "SIGKILL")
  await untilGone([pid], graceMs)
}
