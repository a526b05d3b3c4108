/** CPU time of process trees, from the kernel's own accounting. */
import { readdirSync, readFileSync } from "node:fs"

/** Linux counts in hundredths of a second on all platforms that Node supports. */
const TICK_US = 10_000

interface Stat {
  readonly parent: number
  readonly cpuUs: number
}

const statOf = (pid: number): Stat | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The command's name may contain any character, so the fields begin after its closing parenthesis.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    return {
      parent: Number(fields[1]),
      cpuUs: (Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])) * TICK_US
    }
  } catch {
    return null
  }
}

/** Microseconds of CPU that the processes and all their descendants have used so far. */
export const cpuOf = (roots: ReadonlyArray<number>): number => {
  const stats = new Map<number, Stat>()
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry)
    const stat = Number.isInteger(pid) ? statOf(pid) : null
    if (stat !== null) stats.set(pid, stat)
  }
  const isOurs = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = stats.get(at)?.parent)
      if (roots.includes(at)) return true
    return false
  }
  let sum = 0
  for (const [pid, stat] of stats) if (isOurs(pid)) sum += stat.cpuUs
  return sum
}

const memoryOf = (pid: number, field: string): number => {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))
  return Number(match?.[1] ?? 0) * 1024
}

/** Resident memory of one process, bytes. */
export const residentBytes = (pid: number): number => memoryOf(pid, "VmRSS")

/** The highest resident memory since the process started, or since the measurement was reset. */
export const peakBytes = (pid: number): number => memoryOf(pid, "VmHWM")
