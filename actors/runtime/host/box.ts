/**
 * One compartment on this host: its folder, its output, and a queue of the calls on it.
 *
 * `<folder>/compartments/<id>/`: `data.img` and `data` (volume.ts), `io` (output.ts), `log` (ring.ts), `run.json`.
 */
import { access, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { HostFault } from "./fault.ts"
import { ensureIo, Output, type OutputPlace, outputPlace } from "./output.ts"
import { StatsMeter } from "./stats.ts"
import type { HostSettings } from "./types.ts"
import { ensureVolume, type Owner, removeVolume, type VolumePlace, volumePlace } from "./volume.ts"

const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

export class Box {
  readonly id: string
  readonly folder: string
  readonly volume: VolumePlace
  readonly outputPlace: OutputPlace
  readonly meter = new StatsMeter()
  private readonly settings: HostSettings
  private readonly owner: Owner
  private opened: Output | null = null
  private tail: Promise<unknown> = Promise.resolve()
  private starting = new AbortController()

  constructor(id: string, settings: HostSettings, owner: Owner) {
    if (!ID.test(id)) throw new HostFault("that is no name of a compartment")
    this.id = id
    this.settings = settings
    this.owner = owner
    this.folder = join(settings.folder, "compartments", id)
    this.volume = volumePlace(this.folder)
    this.outputPlace = outputPlace(this.folder)
  }

  alone<A>(call: () => Promise<A>): Promise<A> {
    const result = this.tail.then(call, call)
    this.tail = result.catch(() => undefined)
    return result
  }

  /** Returns a signal that is aborted when the compartment is to stop, so that its start gives up. */
  newStart(): AbortSignal {
    this.starting = new AbortController()
    return this.starting.signal
  }

  giveUpStart(): void {
    this.starting.abort(new HostFault("the compartment was stopped while it started"))
  }

  get output(): Output {
    this.opened ??= new Output(this.outputPlace, this.settings.logLines, (line) =>
      this.settings.note?.(`${this.id}: ${line}`)
    )
    return this.opened
  }

  get opening(): number | undefined {
    return this.opened?.opening
  }

  /** Ends the reading of output, unless it was opened again meanwhile. */
  async settle(opening?: number): Promise<void> {
    await this.opened?.settle(opening)
  }

  /** True if this host stores anything of the compartment. */
  exists(): Promise<boolean> {
    return access(this.folder).then(
      () => true,
      () => false
    )
  }

  /**
   * Makes the folders and FIFOs that a container mounts. After this it can be created, and after `ensureData` it can be
   * started.
   */
  async ensureFolders(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    await mkdir(this.volume.mount, { recursive: true })
    await ensureIo(this.outputPlace, this.owner)
  }

  async ensureData(): Promise<void> {
    await ensureVolume(this.volume, this.settings.quotas.disk_mb, this.owner)
  }

  private get marker(): string {
    return join(this.folder, "run.json")
  }

  /** Notes on disk that the program of this run is about to start, so that it starts only once. */
  async mark(run: number): Promise<void> {
    await writeFile(`${this.marker}.new`, JSON.stringify({ run }), { mode: 0o600 })
    await rename(`${this.marker}.new`, this.marker)
  }

  async isMarked(run: number): Promise<boolean> {
    const text = await readFile(this.marker, "utf8").catch(() => "{}")
    return (JSON.parse(text) as { run?: number }).run === run
  }

  async destroy(): Promise<void> {
    this.close()
    await removeVolume(this.volume)
    await rm(this.folder, { recursive: true, force: true })
  }

  close(): void {
    this.opened?.close()
    this.opened = null
  }
}
