/**
 * The store of the archive's objects: a folder, or a bucket (bucket.ts).
 *
 * Invariants
 *  - An object becomes visible only when it is complete. It is durable once `put` resolves.
 *  - A stored object is never changed, because its name contains its hash. Only parts are removed (ending.ts).
 */
import { randomBytes } from "node:crypto"
import { mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { ObjectReader } from "./segment.ts"

export interface Objects {
  /** The folder or bucket, for error messages. */
  readonly place: string
  readonly put: (name: string, bytes: Uint8Array) => Promise<void>
  /** Rejects if there is no such object. */
  readonly open: (name: string) => Promise<ObjectReader>
  /**
   * Names with this prefix, sorted. A bucket lists only the first 1000. A folder also lists unfinished files of a `put`
   * that was killed.
   */
  readonly list: (prefix: string) => Promise<ReadonlyArray<string>>
  /** Also resolves if there is no such object. */
  readonly remove: (name: string) => Promise<void>
}

const synced = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Only the owner of the files can read them, because they contain everything that is in the log. */
export const folderOf = (folder: string): Objects => ({
  place: folder,
  put: async (name, bytes) => {
    const path = join(folder, name)
    const partial = `${path}.${randomBytes(4).toString("hex")}.partial`
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    try {
      const file = await open(partial, "wx", 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(partial, path)
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
    await synced(dirname(path))
  },
  open: async (name) => {
    const path = join(folder, name)
    const file = await open(path, "r")
    const { size } = await file.stat().finally(() => file.close())
    return { bytes: size, read: (offset, bytes) => readAt(path, offset, bytes) }
  },
  list: async (prefix) => {
    const names = await readdir(folder).catch(noneIfAbsent)
    return names.filter((name) => name.startsWith(prefix)).toSorted()
  },
  remove: (name) => rm(join(folder, name), { force: true })
})

/** A missing folder has no objects: `put` makes it. Other errors are thrown. */
const noneIfAbsent = (error: NodeJS.ErrnoException): ReadonlyArray<string> => {
  if (error.code === "ENOENT") return []
  throw error
}

/** Opens the file for each read and closes it again, because an archive has thousands of files. */
const readAt = async (path: string, offset: number, bytes: number): Promise<Buffer> => {
  const file = await open(path, "r")
  try {
    const into = Buffer.alloc(bytes)
    const { bytesRead } = await file.read(into, 0, bytes, offset)
    return into.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
