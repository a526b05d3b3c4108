/** Reads the kernel's own figures of a container: its limits and its use. Supports both versions of control groups. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Quotas } from "./types.ts"

const ROOT = "/sys/fs/cgroup"
const MIB = 1024 * 1024

/** The folder of the container's group for each controller. Version 2 has one folder for all. */
export interface Groups {
  readonly generation: 1 | 2
  readonly of: (controller: "memory" | "cpu" | "cpuacct" | "pids") => string
}

const read = (file: string): Promise<string | null> =>
  readFile(file, "utf8").then(
    (text) => text.trim(),
    () => null
  )

const number = async (file: string): Promise<number | null> => {
  const text = await read(file)
  return text !== null && /^\d+$/.test(text) ? Number(text) : null
}

/** null if the process has ended, or does not belong to that container any more. */
export async function groupsOf(pid: number, containerId: string): Promise<Groups | null> {
  const lines = (await read(`/proc/${pid}/cgroup`))?.split("\n").map((line) => line.split(":")) ?? []
  const pathOf = (name: string): string | undefined =>
    lines.find(([, controllers = ""]) => controllers.split(",").includes(name))?.[2]
  const memory = pathOf("memory")
  if (memory !== undefined) {
    if (!memory.includes(containerId)) return null
    return { generation: 1, of: (controller) => join(ROOT, controller, pathOf(controller) ?? "") }
  }
  const unified = lines.find(([hierarchy]) => hierarchy === "0")?.[2]
  if (unified === undefined || !unified.includes(containerId)) return null
  return { generation: 2, of: () => join(ROOT, unified) }
}

/** The names of limits that the kernel does not apply to the container. */
export async function missingBounds(groups: Groups, quotas: Quotas): Promise<ReadonlyArray<string>> {
  const memory = quotas.memory_mb * MIB
  const file = (controller: "memory" | "cpu" | "pids", name: string) => join(groups.of(controller), name)
  const pids = (await number(file("pids", "pids.max"))) === quotas.pids
  if (groups.generation === 2) {
    const [most, period] = ((await read(file("cpu", "cpu.max"))) ?? "").split(" ").map(Number)
    const swap = await read(file("memory", "memory.swap.max"))
    return names({
      memory: (await number(file("memory", "memory.max"))) === memory,
      swap: swap === "0" || swap === null,
      cpu: (most ?? NaN) / (period ?? NaN) <= quotas.cpus,
      pids
    })
  }
  const quota = await number(file("cpu", "cpu.cfs_quota_us"))
  const period = await number(file("cpu", "cpu.cfs_period_us"))
  return names({
    memory: (await number(file("memory", "memory.limit_in_bytes"))) === memory,
    // Memory and swap together. Without accounting of swap the file does not exist, and swap is unlimited.
    swap: (await number(file("memory", "memory.memsw.limit_in_bytes"))) === memory,
    cpu: (quota ?? NaN) / (period ?? NaN) <= quotas.cpus,
    pids
  })
}

const names = (held: Readonly<Record<string, boolean>>): ReadonlyArray<string> =>
  Object.entries(held).flatMap(([name, is]) => (is ? [] : [name]))

export interface Usage {
  /** CPU time since the container started. */
  readonly cpuMicros: number
  readonly memoryMb: number
  readonly pids: number
}

/** The number in a line `<name> <number>`. */
const lineOf = (text: string | null, name: string): number => {
  const line = (text ?? "").split("\n").find((one) => one.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? 0)
}

/**
 * The memory is counted without pages of files that were not used lately, because the kernel would free those as soon
 * as memory is needed.
 */
export async function usageOf(groups: Groups): Promise<Usage> {
  const memory = groups.of("memory")
  const first = groups.generation === 1
  const [used, detail, cpu, pids] = await Promise.all([
    number(join(memory, first ? "memory.usage_in_bytes" : "memory.current")),
    read(join(memory, "memory.stat")),
    first
      ? number(join(groups.of("cpuacct"), "cpuacct.usage")).then((nanos) => (nanos ?? 0) / 1000)
      : read(join(groups.of("cpu"), "cpu.stat")).then((text) => lineOf(text, "usage_usec")),
    number(join(groups.of("pids"), "pids.current"))
  ])
  const idle = lineOf(detail, first ? "total_inactive_file" : "inactive_file")
  return { cpuMicros: cpu, memoryMb: Math.max(0, (used ?? 0) - idle) / MIB, pids: pids ?? 0 }
}
