/**
 * A lock that only one process of the machine can hold. It is the kernel's lock of a file, so it ends with its holder
 * in any case.
 *
 * Node has no function for this. `flock` takes the lock on an open file that it inherits. The lock belongs to the open
 * file and not to the process, so it stays with this process after `flock` has ended.
 */
import { spawn } from "node:child_process"
import { mkdir, open } from "node:fs/promises"
import { dirname } from "node:path"
import { LaunchFault } from "../launcher/fault.ts"

/** The descriptor of the program's first additional file. */
const HANDED_ON = "3"
const HELD_BY_ANOTHER = 1

export interface LockOptions {
  /** The most milliseconds to wait while another process holds the lock. */
  readonly waitMs: number
  readonly what: string
  readonly signal?: AbortSignal | undefined
}

const take = (fd: number, { waitMs, what, signal }: LockOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = ["--exclusive", "--wait", String(Math.ceil(waitMs / 1000)), HANDED_ON]
    const child = spawn("flock", args, {
      stdio: ["ignore", "ignore", "ignore", fd],
      ...(signal === undefined ? {} : { signal })
    })
    child.once("error", (cause) => reject(new LaunchFault(`${what} was not begun: ${cause.message}`)))
    child.once("close", (code) => {
      if (code === 0) resolve()
      else if (code === HELD_BY_ANOTHER)
        reject(new LaunchFault(`${what} is done by another process, which does not end`))
      else reject(new LaunchFault(`${what} was not begun: flock ended with status ${code}`))
    })
  })

/** Runs `act` while no other process has the lock. */
export const withLock = async <T>(file: string, options: LockOptions, act: () => Promise<T>): Promise<T> => {
  await mkdir(dirname(file), { recursive: true })
  const handle = await open(file, "a", 0o600)
  try {
    await take(handle.fd, options)
    return await act()
  } finally {
    await handle.close()
  }
}
