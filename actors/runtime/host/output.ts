/**
 * The output of one compartment: its last lines, and the pumps that read from the FIFOs while a container may write.
 *
 * Invariants
 *  - Before a program's end is reported, its last lines are read into the ring (`settle`), for at most `SETTLE_MAX_MS`.
 *  - A FIFO's bytes are read once: at most one pump is open for each.
 */
import { chmod, chown, mkdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { ENTRY, RESOLV_CONF } from "./entry.ts"
import { Allowance, Pump } from "./pump.ts"
import { runProgram } from "./programs.ts"
import { Ring } from "./ring.ts"
import type { Owner } from "./volume.ts"

/** Milliseconds to wait for the last lines of an ended program. */
const SETTLE_MAX_MS = 2_000
/** A line of the service is written after the program's earlier output, but waits no longer than this. */
const SAY_MAX_MS = 500

export interface OutputPlace {
  /** The folder that is mounted into the container. */
  readonly io: string
  readonly journal: string
}

export const outputPlace = (folder: string): OutputPlace => ({ io: join(folder, "io"), journal: join(folder, "log") })

export const givenFifo = (place: OutputPlace): string => join(place.io, "env")

const isFifo = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFIFO(),
    () => false
  )

const FIFOS = ["out", "err", "env"]

/** Makes all FIFOs in one process, because the start of a compartment waits for it. */
async function ensureFifos(io: string, uid: number, gid: number): Promise<void> {
  const all = FIFOS.map((name) => join(io, name))
  const there = await Promise.all(all.map(isFifo))
  const missing = all.filter((_, index) => there[index] !== true)
  if (missing.length === 0) return
  await Promise.all(missing.map((path) => rm(`${path}.new`, { force: true })))
  await runProgram("mkfifo", ["-m", "0600", ...missing.map((path) => `${path}.new`)])
  for (const path of missing) {
    await chown(`${path}.new`, uid, gid)
    await rename(`${path}.new`, path)
  }
}

/**
 * Makes the FIFOs, the script of the first process and `resolv.conf`. The folder belongs to root, so the compartment
 * can only use the files in it.
 */
export async function ensureIo(place: OutputPlace, { uid, gid }: Owner): Promise<void> {
  await mkdir(place.io, { recursive: true })
  // Set explicitly, because of this process's umask: the compartment's user must be able to enter the folder.
  await chmod(place.io, 0o755)
  await ensureFifos(place.io, uid, gid)
  for (const [name, text] of Object.entries({ entry: ENTRY, "resolv.conf": RESOLV_CONF })) {
    const path = join(place.io, name)
    // A first process reads its script while it runs, so the old file is not changed.
    await writeFile(`${path}.new`, text)
    await chmod(`${path}.new`, 0o644)
    await rename(`${path}.new`, path)
  }
}

export class Output {
  readonly ring: Ring
  private readonly place: OutputPlace
  private pumps: ReadonlyArray<Pump> = []
  private allowance = new Allowance()
  private settling: Promise<void> | null = null
  private opened = 0

  constructor(place: OutputPlace, lines: number, note: (line: string) => void) {
    this.place = place
    this.ring = Ring.open(place.journal, lines, note)
  }

  open(): void {
    if (this.pumps.some((pump) => !pump.closed)) return
    this.closePumps()
    this.opened++
    this.allowance = new Allowance()
    const pump = (name: string, stream: "stdout" | "stderr"): Pump =>
      Pump.open(join(this.place.io, name), this.allowance, (chunk) => this.ring.append(stream, chunk))
    this.pumps = [pump("out", "stdout"), pump("err", "stderr")]
  }

  /** The number of the opening, so that the end of one container does not settle the output of the next one. */
  get opening(): number {
    return this.opened
  }

  /** Called when the container has ended: reads its last output, and completes unfinished lines. */
  async settle(opening = this.opened): Promise<void> {
    if (opening !== this.opened) return
    await this.settled()
  }

  private settled(): Promise<void> {
    this.settling ??= this.drain().finally(() => {
      this.settling = null
    })
    return this.settling
  }

  private async drain(): Promise<void> {
    this.allowance.lift()
    for (const pump of this.pumps) pump.go()
    const over = new AbortController()
    const late = delay(SETTLE_MAX_MS, undefined, { signal: over.signal }).catch(() => undefined)
    await Promise.race([Promise.all(this.pumps.map((pump) => pump.ended)), late])
    over.abort()
    this.closePumps()
    this.ring.end()
  }

  /** Writes a line of the service, after the program's earlier output. */
  async say(text: string): Promise<void> {
    if (this.settling !== null) await Promise.race([this.settling, delay(SAY_MAX_MS)])
    this.ring.say(text)
  }

  close(): void {
    this.closePumps()
    this.ring.close()
  }

  private closePumps(): void {
    for (const pump of this.pumps) pump.close()
    this.pumps = []
  }
}
