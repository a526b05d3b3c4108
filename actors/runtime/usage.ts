/**
 * The resource use of programs, read once a minute and kept for an hour in this process only. It begins anew after a
 * restart, and for a compartment whose container is gone.
 */
import type { UsageReading } from "../../schemas/compartment/records.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { messageOf } from "./host/fault.ts"
import type { Machine } from "./machine.ts"

interface Parts {
  readonly machine: Pick<Machine, "found" | "stats">
  readonly kept: number
}

export class Usage {
  readonly #parts: Parts
  readonly #readings = new Map<string, ReadonlyArray<UsageReading>>()
  #looking = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  of(compartment: string): ReadonlyArray<UsageReading> {
    return this.#readings.get(compartment) ?? []
  }

  async look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      await this.#readAll()
    } catch (error) {
      logNow("warn", "runtime", { error: messageOf(error) })
    } finally {
      this.#looking = false
    }
  }

  async #readAll(): Promise<void> {
    const { machine, kept } = this.#parts
    const all = await machine.found()
    const there = new Set(all.map(({ compartment }) => compartment))
    for (const compartment of this.#readings.keys()) if (!there.has(compartment)) this.#readings.delete(compartment)
    for (const { compartment, state } of all) {
      if (state !== "running") continue
      const stats = await machine.stats(compartment).catch(() => null)
      if (stats === null) continue
      const { at, cpu_percent, memory_mb } = stats
      const reading = { at: new Date(at).toISOString(), cpu_percent, memory_mb }
      this.#readings.set(compartment, [...this.of(compartment), reading].slice(-kept))
    }
  }
}
