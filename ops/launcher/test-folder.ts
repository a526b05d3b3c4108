/**
 * Where tests leave what their servers write: in memory where there is room for it, since making a cluster of Postgres
 * is mostly the writing of a thousand files, and no test asks what a machine's sudden end would leave.
 */
import { accessSync, constants, statfsSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

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

/** Whoever has it made removes it. */
export const makeTestFolder = (): Promise<string> => mkdtemp(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), "hub-tests-"))
