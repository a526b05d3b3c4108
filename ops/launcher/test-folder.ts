/**
 * Where tests leave what their servers write: in memory where there is room for it, since making a cluster of Postgres
 * is mostly the writing of a thousand files, and no test asks what a machine's sudden end would leave.
 */
import { accessSync, constants, statfsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { unmountBelow } from "../runtime/mounts.ts"

const MEMORY = "/dev/shm"
/** Some five times of what a run has needed at once. */
const ROOM_BYTES = 8 * 2 ** 30

const hasRoom = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= ROOM_BYTES
  } catch {
    return false
  }
}

/** A server that is just ending may still write. */
const REMOVALS_MAX = 10
const REMOVAL_PAUSE_MS = 500

/** Whoever has it made removes it, with `removeTestFolder`. */
export const makeTestFolder = (): Promise<string> => mkdtemp(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), "hub-tests-"))

/**
 * A test that failed may have left the volume of a container mounted there. Node's own retries multiply with each level of
 * folders above such a place, to hours.
 */
export const removeTestFolder = async (folder: string): Promise<void> => {
  for (let left = REMOVALS_MAX; ; left--) {
    try {
      await unmountBelow(folder)
      return await rm(folder, { recursive: true, force: true })
    } catch (cause) {
      if (left <= 1) throw cause
      await delay(REMOVAL_PAUSE_MS)
    }
  }
}
