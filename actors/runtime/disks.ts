/**
 * Finds runs that use too much disk (spec 3.7), with every beat. The reconciler stops and reports them (step.ts), so
 * that there is one report with one reason.
 */
import type { Limits } from "../../schemas/limits.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { messageOf } from "./host/fault.ts"
import type { Machine } from "./machine.ts"

interface Parts {
  readonly machine: Pick<Machine, "found" | "diskMb" | "say">
  readonly limits: Pick<Limits["runtime"], "disk_stop_percent" | "quotas">
  readonly changed: (compartment: string) => void
}

export class Disks {
  readonly #parts: Parts
  readonly #overfull = new Map<string, number>()
  #looking = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The run of the compartment that must be stopped for using too much disk. */
  overfull(compartment: string): number | undefined {
    return this.#overfull.get(compartment)
  }

  async look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      await this.#lookAtAll()
    } catch (error) {
      logNow("warn", "runtime", { error: messageOf(error) })
    } finally {
      this.#looking = false
    }
  }

  async #lookAtAll(): Promise<void> {
    const { machine, limits, changed } = this.#parts
    const most = (limits.quotas.disk_mb * limits.disk_stop_percent) / 100
    const all = await machine.found()
    const there = new Set(all.map(({ compartment }) => compartment))
    for (const compartment of this.#overfull.keys()) if (!there.has(compartment)) this.#overfull.delete(compartment)
    for (const { compartment, run, state } of all) {
      if (state !== "running" || this.#overfull.get(compartment) === run) continue
      if ((await machine.diskMb(compartment)) <= most) continue
      machine.say(compartment, `stopped: /data holds more than ${most} MB`)
      this.#overfull.set(compartment, run)
      changed(compartment)
    }
  }
}
