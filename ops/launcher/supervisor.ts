/**
 * Keeps one process of a role alive.
 *
 * - At most one process of the role runs at any time; `pid` is null between two of them.
 * - An unexpected exit is reported with role, pid and status. With `autoRestart` the process is started again after a
 *   pause, which doubles with each exit in quick succession up to PAUSE_CEILING_MS. The tries never stop: a machine
 *   that was out of memory for an hour should serve again without anybody's help.
 * - The first start fails after FIRST_START_TRIES, or at once with a LaunchFault.
 * - stop() takes precedence: it also ends a start that is under way, and nothing starts after it.
 */
import { setTimeout as delay } from "node:timers/promises"
import { LaunchFault, messageOf } from "./fault.ts"
import { describeExit } from "./tied.ts"
import type { TiedProcess } from "./tied.ts"

const PAUSE_BASE_MS = 200
const PAUSE_CEILING_MS = 10_000
/** A process that lived this long resets the count of exits. */
const STABLE_AFTER_MS = 30_000
const FIRST_START_TRIES = 3

export interface RoleOptions {
  readonly name: string
  /** Starts the process and resolves when it is ready for work. `onSpawn` gets it as soon as it runs. */
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

  /** The first start. Rejects if the role does not become ready. */
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

  /** Stops the process cleanly if it still runs, then starts a new one. Resolves when the new one is ready. */
  async restart(): Promise<void> {
    const previous = this.#current
    this.#setCurrent(undefined)
    await previous?.stop(this.#options.stopGraceMs)
    await this.#launch()
  }

  /** Ends the process by SIGKILL, as in a crash. Resolves when it is gone. */
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
    // A launch may have been under way before its process existed.
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
          // The process may still run although its start failed. The next try needs its port and its files.
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
