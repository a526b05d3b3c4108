/**
 * The folder for the files of tests' servers, in memory if there is room. Making a cluster of Postgres is mostly the
 * writing of a thousand files, and no test asks what survives a machine's sudden end.
 */
import { accessSync, constants, statfsSync } from "node:fs"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { unmountBelow } from "../runtime/mounts.ts"
import { isRunning } from "./proc.ts"

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

const PREFIX = "hub-tests-"
const OWNER = /^hub-tests-(\d+)-/

/** The caller removes it, with `removeTestFolder`. Its name tells which process that is. */
export const makeTestFolder = (): Promise<string> =>
  mkdtemp(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), `${PREFIX}${process.pid}-`))

/** Folders whose makers have ended without removing them. */
export const leftTestFolders = async (): Promise<ReadonlyArray<string>> => {
  const places = [...new Set([MEMORY, tmpdir()])]
  const found = await Promise.all(
    places.map(async (place) => (await readdir(place).catch(() => [])).map((name) => join(place, name)))
  )
  return found.flat().filter((folder) => {
    const pid = OWNER.exec(basename(folder))?.[1]
    return pid !== undefined && !isRunning(Number(pid))
  })
}

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
