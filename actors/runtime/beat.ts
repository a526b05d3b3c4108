/**
 * Reports this host's state to the fleet, learns which compartments belong to it, and has the reconciler check all of
 * them.
 */
import { readFileSync, renameSync, writeFileSync, mkdirSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { Clock } from "effect"
import { after, type Cancel } from "../../schemas/runtime/clock.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { FLEET_ID, type HostReport } from "../../schemas/fleet/operations.ts"
import { messageOf } from "./host/fault.ts"
import type { AskOnce } from "./asked.ts"
import type { Machine } from "./machine.ts"
import { newCommand } from "./reconciler.ts"

const ID = /^host_[0-9a-f]{16}$/
const ID_BYTES = 8

/** The id is created once for a folder, so a host keeps its id as long as its data exists. */
export const hostIdOf = (folder: string): string => {
  const file = join(folder, "host-id")
  try {
    const known = readFileSync(file, "utf8").trim()
    if (ID.test(known)) return known
  } catch {
    // The file does not exist yet.
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const id = `host_${randomBytes(ID_BYTES).toString("hex")}`
  writeFileSync(`${file}.new`, `${id}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return id
}

export interface BeatParts {
  readonly clock: Clock.Clock
  readonly asked: AskOnce
  readonly machine: Machine
  readonly host: string
  readonly max: number
  readonly image: string
  readonly publicKey: string
  readonly everyMs: number
  readonly changed: (compartment: string) => void
}

export class Beat {
  readonly #parts: BeatParts
  #cancel: Cancel | undefined
  #ended = false

  constructor(parts: BeatParts) {
    this.#parts = parts
    void this.#round()
  }

  end(): void {
    this.#ended = true
    this.#cancel?.()
  }

  async #round(): Promise<void> {
    try {
      await this.#tell()
      const { asked, host, machine } = this.#parts
      const { compartments } = await asked(newCommand(), "fleet.mine", FLEET_ID, { host })
      const found = await machine.found().catch(() => [])
      for (const compartment of new Set([...compartments, ...found.map((one) => one.compartment)]))
        this.#parts.changed(compartment)
    } catch (error) {
      this.#missed(error)
    }
    const { clock, everyMs } = this.#parts
    if (!this.#ended) this.#cancel = after(clock, everyMs, () => void this.#round())
  }

  async #tell(): Promise<void> {
    const { asked, machine, host, max, image, publicKey } = this.#parts
    const report: HostReport = { host, name: machine.name, max, image, public_key: publicKey, ...machine.health() }
    await asked(newCommand(), "fleet.report", FLEET_ID, report)
  }

  #missed(error: unknown): void {
    if (!this.#ended) logNow("warn", "runtime", { error: messageOf(error) })
  }
}
