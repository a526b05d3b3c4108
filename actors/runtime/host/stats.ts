/** What a compartment uses now (contract 8). */
import { readFile } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { type Groups, usageOf } from "./cgroup.ts"
import type { Stats } from "./types.ts"

/** Over how long the share of a core is measured at least, and at most. */
const LINK = "eth0:"
const SPAN_MIN_MS = 250
const SPAN_MAX_MS = 90_000

const tenth = (value: number): number => Math.round(value * 10) / 10

/** As the container sees its own link: received, sent. */
async function trafficOf(pid: number): Promise<readonly [rx: number, tx: number]> {
  const text = await readFile(`/proc/${pid}/net/dev`, "utf8").catch(() => "")
  const line = text.split("\n").find((one) => one.trimStart().startsWith(LINK))
  const fields = line?.trim().slice(LINK.length).trim().split(/\s+/).map(Number) ?? []
  return [fields[0] ?? 0, fields[8] ?? 0]
}

interface Sample {
  readonly id: string
  readonly at: number
  readonly cpuMicros: number
}

/** Of one compartment. The share of a core is of the time since it was last asked, where that is not too long ago. */
export class StatsMeter {
  private last: Sample | null = null

  async read(
    { id, pid, startedAt }: { readonly id: string; readonly pid: number; readonly startedAt: number },
    groups: Groups,
    diskMb: number
  ): Promise<Stats> {
    const from = await this.reference(id, groups)
    const usage = await usageOf(groups)
    const now = performance.now()
    this.last = { id, at: now, cpuMicros: usage.cpuMicros }
    const [rx_bytes, tx_bytes] = await trafficOf(pid)
    const at = Date.now()
    return {
      at,
      cpu_percent: tenth(((usage.cpuMicros - from.cpuMicros) / 1000 / (now - from.at)) * 100),
      memory_mb: tenth(usage.memoryMb),
      disk_mb: diskMb,
      pids: usage.pids,
      rx_bytes,
      tx_bytes,
      uptime_seconds: Math.max(0, Math.floor((at - startedAt) / 1000))
    }
  }

  private async reference(id: string, groups: Groups): Promise<Sample> {
    const age = performance.now() - (this.last?.at ?? Number.NEGATIVE_INFINITY)
    if (this.last !== null && this.last.id === id && age >= SPAN_MIN_MS && age <= SPAN_MAX_MS) return this.last
    const from = { id, at: performance.now(), cpuMicros: (await usageOf(groups)).cpuMicros }
    await delay(SPAN_MIN_MS)
    return from
  }
}
