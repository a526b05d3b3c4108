/**
 * The folder for the files of tests' servers. It is in memory if there is room, because making a cluster of Postgres is
 * mostly writing a thousand files. No test needs these files to survive a sudden end of the machine.
 */
import { accessSync, constants, statfsSync } from "node:fs"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { unmountBelow } from "../runtime/mounts.ts"
import { isRunning } from "./proc.ts"

const MEMORY = "/dev/shm"
/** About five times the space that a run has needed. */
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

/** The most tries to remove a folder. A server that is about to end may still write files into it. */
const REMOVALS_MAX = 10
const REMOVAL_PAUSE_MS = 500

const PREFIX = "hub-tests-"
const OWNER = /^hub-tests-(\d+)-/

/** Makes a folder whose name contains this process's id. The caller removes it with `removeTestFolder`. */
export const makeTestFolder = (): Promise<string> =>
  mkdtemp(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), `${PREFIX}${process.pid}-`))

/** Folders of processes that have ended without removing them. */
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
 * Unmounts everything below the folder, and removes it. A failed test may have left a container's volume mounted there.
 * Node's own retries multiply with each level of folders above a mount, and would take hours.
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
