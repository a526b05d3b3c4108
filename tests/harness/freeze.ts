/** Stops a process as a machine that hangs does. */
import { readdirSync, readFileSync } from "node:fs"
import { patience } from "../../ops/launcher/patience.ts"

const LOOK_MS = 1
/** Only a process that cannot be stopped takes this long. */
const STOPPED_WITHIN_MS = 60_000

const isStopped = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) => {
    try {
      // The state follows the name, which may contain anything.
      const [state] = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8").split(") ").at(-1) ?? ""
      return state === "T" || state === "Z"
    } catch {
      return true
    }
  })

/**
 * Returns when no thread of the process runs any more. The kernel gives SIGSTOP to one thread, and on a busy machine the
 * others go on until that one is scheduled.
 */
export const untilStopped = (pid: number): void => {
  const sleep = new Int32Array(new SharedArrayBuffer(4))
  const isOver = patience(STOPPED_WITHIN_MS)
  while (!isStopped(pid)) {
    if (isOver()) throw new Error(`process ${pid} does not stop`)
    Atomics.wait(sleep, 0, 0, LOOK_MS)
  }
}

export const freeze = (pid: number): void => {
  process.kill(pid, "SIGSTOP")
  untilStopped(pid)
}
