/**
 * Keeps one process of a role alive.
 *
 * - At most one process of the role runs at any time; `pid` is null between two of them.
 * - A death that nobody asked for is reported with role, pid and exit, then mended after a pause that doubles with
 *   each death in quick succession and never exceeds PAUSE_CEILING_MS. There is no last try: a machine that was out of
 *   memory for an hour should serve again without anybody's help.
 * - Before the role was ever ready it is the other way round: FIRST_START_TRIES, and the start as a whole fails.
 * - stop() wins over everything: a start under way is ended too, and nothing starts after it.
 */
import { setTimeout as delay } from "node:timers/promises"
import { LaunchFault, messageOf } from "./fault.ts"
import { describeExit } from "./tied.ts"
import type { TiedProcess } from "./tied.ts"

const PAUSE_BASE_MS = 200
const PAUSE_CEILING_MS = 10_000
/** A process that lived this long resets the count of deaths. */
const STABLE_AFTER_MS = 30_000
const FIRST_START_TRIES = 3

export interface RoleOptions {
  readonly name: string
  /** Resolves when the process is ready for work; hands it over as soon as it runs. */
  readonly launch: (onSpawn: (process: TiedProcess) => void) => Promise<TiedProcess>
  readonly autoRestart: boolean
  readonly stopGraceMs: number
  readonly report: (line: string) => void
  /** Called whenever the pid changes. */
  readonly changed?: () => void
}

export class SupervisedRole {
  readonly name: string
  readonly #options: RoleOptions
  readonly #halt = new AbortController()
  #current: TiedProcess | undefined
  #launching: Promise<void> | undefined
  #quickDeaths = 0
  #readyAt = 0

  constructor(options: RoleOptions) {
    this.name = options.name
    this.#options = options
  }

  get pid(): number | null {
    return this.#current?.pid ?? null
  }

  /** The first start: rejects when the role does not become ready. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#launch()
      } catch (cause) {
        if (cause instanceof LaunchFault || this.#halt.signal.aborted) throw cause
        if (attempt === FIRST_START_TRIES) throw new LaunchFault(messageOf(cause))
        this.#options.report(`${messageOf(cause)}; trying again`)
        await this.#pause()
      }
    }
  }

  /** A clean stop where it still runs, then a new process; resolves when that one is ready. */
  async restart(): Promise<void> {
    const previous = this.#current
    this.#current = undefined
    await previous?.stop(this.#options.stopGraceMs)
    await this.#launch()
  }

  /** SIGKILL, as a crash would do it; resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.#current?.kill()
  }

  freeze(): void {
    this.#current?.freeze()
  }

  thaw(): void {
    this.#current?.thaw()
  }

  async stop(): Promise<void> {
    this.#halt.abort()
    await this.#current?.stop(this.#options.stopGraceMs)
    // A launch may have been at work before its process existed.
    await this.#launching?.catch(() => undefined)
    await this.#current?.stop(this.#options.stopGraceMs)
    this.#setCurrent(undefined)
  }

  #setCurrent(process: TiedProcess | undefined): void {
    this.#current = process
    this.#options.changed?.()
  }

  #launch(): Promise<void> {
    if (this.#halt.signal.aborted) return Promise.reject(new Error(`${this.name} is stopped`))
    this.#launching = this.#options
      .launch((process) => this.#setCurrent(process))
      .then(
        (process) => {
          this.#readyAt = Date.now()
          void process.exited.then(() => this.#died(process))
        },
        async (cause: unknown) => {
          // It may have failed for us and still run: a next try must find its place free.
          await this.#current?.kill()
          this.#setCurrent(undefined)
          throw cause
        }
      )
    return this.#launching
  }

  async #died(process: TiedProcess): Promise<void> {
    if (process.pid !== this.#current?.pid || this.#halt.signal.aborted) return
    this.#setCurrent(undefined)
    const exit = await process.exited
    this.#options.report(`${this.name} (pid ${process.pid}) died, ${describeExit(exit)}`)
    if (this.#options.autoRestart) await this.#revive()
  }

  async #revive(): Promise<void> {
    if (Date.now() - this.#readyAt > STABLE_AFTER_MS) this.#quickDeaths = 0
    for (;;) {
      await this.#pause()
      if (this.#halt.signal.aborted) return
      try {
        await this.#launch()
        return this.#options.report(`${this.name} runs again (pid ${this.pid})`)
      } catch (cause) {
        if (!this.#halt.signal.aborted) this.#options.report(`${this.name} did not start: ${messageOf(cause)}`)
      }
    }
  }

  async #pause(): Promise<void> {
    const pause = Math.min(PAUSE_CEILING_MS, PAUSE_BASE_MS * 2 ** this.#quickDeaths)
    this.#quickDeaths += 1
    await delay(pause, undefined, { signal: this.#halt.signal }).catch(() => undefined)
  }
}
