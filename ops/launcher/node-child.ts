/**
 * A role of the product as a Node process.
 *
 * The child sends `{ ready: true }` over its IPC channel. If it ends with CONFIGURATION_ERROR before that, a setting is
 * wrong and a second try is useless; the last line on its stderr names the setting. Output is held back until the child
 * is ready or has written `HELD_LINES` lines. So this line is shown once, as the launcher's own last line.
 */
import { CONFIGURATION_ERROR } from "../../schemas/runtime/program.ts"
import type { Serializable } from "node:child_process"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { LaunchFault } from "./fault.ts"
import { describeExit, spawnTied } from "./tied.ts"
import type { TiedProcess } from "./tied.ts"

const STOP_SIGNAL = "SIGTERM"
const READY_DEADLINE_MS = 90_000
/** Milliseconds in which output may arrive after the end of the process that wrote it. */
const OUTPUT_GRACE_MS = 500
const HELD_LINES = 500

export interface NodeChildOptions {
  readonly name: string
  /** The entry file and the arguments of the program. */
  readonly entry: ReadonlyArray<string>
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Sent over the IPC channel as soon as the process runs. */
  readonly message?: Serializable
  readonly onLine: (line: string) => void
  readonly onSpawn?: (process: TiedProcess) => void
}

class HeldLines {
  readonly #onLine: (line: string) => void
  #held: Array<string> | undefined = []
  lastError = ""

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  add(line: string, isError: boolean): void {
    if (isError && line.trim() !== "") this.lastError = line.trim()
    if (this.#held === undefined) this.#onLine(line)
    else if (this.#held.push(line) > HELD_LINES) this.release()
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const line of held) this.#onLine(line)
  }
}

function isReady(message: unknown): boolean {
  return typeof message === "object" && message !== null && "ready" in message && message.ready === true
}

export async function startNodeChild(options: NodeChildOptions): Promise<TiedProcess> {
  const child = await spawnTied({
    command: [process.execPath, "--no-warnings", ...options.entry],
    cwd: options.cwd,
    env: options.env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    stopSignal: STOP_SIGNAL
  })
  options.onSpawn?.(child)
  // A failed send is ignored: the exit of the process reports it.
  if (options.message !== undefined) child.process.send(options.message, () => undefined)
  const lines = new HeldLines(options.onLine)
  const { stdout, stderr } = child.process
  if (stdout !== null) createInterface({ input: stdout }).on("line", (line) => lines.add(line, false))
  if (stderr !== null) createInterface({ input: stderr }).on("line", (line) => lines.add(line, true))
  const closed = new Promise<void>((resolve) => child.process.once("close", () => resolve()))

  const ready = new Promise<"ready">((resolve) => {
    child.process.on("message", (message) => {
      if (isReady(message)) resolve("ready")
    })
  })
  const tooLate = new AbortController()
  const deadline = delay(READY_DEADLINE_MS, "late" as const, { signal: tooLate.signal }).catch(() => "late" as const)
  const outcome = await Promise.race([ready, child.exited, deadline])
  tooLate.abort()
  if (outcome === "ready") {
    lines.release()
    return child
  }
  if (outcome === "late") await child.kill()
  const exit = await child.exited
  await Promise.race([closed, delay(OUTPUT_GRACE_MS)])
  if (exit.code === CONFIGURATION_ERROR) {
    throw new LaunchFault(lines.lastError || `${options.name} refused its configuration without saying why`)
  }
  // Output of a process that was stopped here is dropped: it might repeat the fault of another process.
  if (exit.signal !== STOP_SIGNAL) lines.release()
  if (outcome === "late") {
    throw new Error(`${options.name} (pid ${child.pid}) was not ready after ${READY_DEADLINE_MS / 1000} s`)
  }
  throw new Error(`${options.name} (pid ${child.pid}) ended before it was ready, ${describeExit(exit)}`)
}
