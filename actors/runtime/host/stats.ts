/** A compartment's present use of resources (contract 8). */
import { readFile } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { type Groups, usageOf } from "./cgroup.ts"
import type { Stats } from "./types.ts"

const LINK = "eth0:"
const SPAN_MIN_MS = 250
const SPAN_MAX_MS = 90_000

const tenth = (value: number): number => Math.round(value * 10) / 10

/** Received and sent bytes of the container's own link. */
async function trafficOf(pid: number): Promise<readonly [rx: number, tx: number]> {
  const text = await readFile(`/proc/${pid}/net/dev`, "utf8").catch(() => "")
  const line = text.split("\n").find((one) => one.trimStart().startsWith(LINK))
  const fields = line?.trim().slice(LINK.length).trim().split(/\s+/).map(Number) ?? []
  return [fields[0] ?? 0, fields[8] ?? 0]
}

interface Sample {
  readonly id: string
  /** The time of this start. If the same container is started again, its counters begin at zero. */
  readonly startedAt: number
  readonly at: number
  readonly cpuMicros: number
}

/** In percent of one core. Counters that decreased belong to another start, so the share is unknown and 0. */
export const shareOf = (from: Pick<Sample, "at" | "cpuMicros">, to: Pick<Sample, "at" | "cpuMicros">): number => {
  const [micros, ms] = [to.cpuMicros - from.cpuMicros, to.at - from.at]
  return micros <= 0 || ms <= 0 ? 0 : tenth((micros / 1000 / ms) * 100)
}

/** True if a share can be measured from `last`: it is neither too recent nor too old, and of the same start. */
const isReference = (last: Sample, now: Sample): boolean => {
  const age = now.at - last.at
  const isSame = last.id === now.id && last.startedAt === now.startedAt && last.cpuMicros <= now.cpuMicros
  return isSame && age >= SPAN_MIN_MS && age <= SPAN_MAX_MS
}

/** Reads one compartment. The share of a core is of the time since the last reading, if that is not too long ago. */
export class StatsMeter {
  private last: Sample | null = null

  async read(
    { id, pid, startedAt }: { readonly id: string; readonly pid: number; readonly startedAt: number },
    groups: Groups,
    diskMb: number
  ): Promise<Stats> {
    const sample = async () => {
      const usage = await usageOf(groups)
      return { ...usage, id, startedAt, at: performance.now() }
    }
    let from = this.last
    let now = await sample()
    if (from === null || !isReference(from, now)) {
      from = now
      await delay(SPAN_MIN_MS)
      now = await sample()
    }
    this.last = now
    const [rx_bytes, tx_bytes] = await trafficOf(pid)
    const at = Date.now()
    return {
      at,
      cpu_percent: shareOf(from, now),
      memory_mb: tenth(now.memoryMb),
      disk_mb: diskMb,
      pids: now.pids,
      rx_bytes,
      tx_bytes,
      uptime_seconds: Math.max(0, Math.floor((at - startedAt) / 1000))
    }
  }
}
