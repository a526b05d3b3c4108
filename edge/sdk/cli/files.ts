/**
 * Writes files that only their owner can read: secrets, and downloads.
 *
 * Invariants
 *  - Files have the mode 0600, and new folders 0700. A folder that others may change, and a secret that others may
 *    read, are refused.
 *  - A file is never visible in part: it is written under another name, flushed, then linked or renamed. After a crash
 *    at any moment, the path has the old content or the new one.
 *  - `create` never replaces a file; `replace` does. The folder is flushed after a change of names, too.
 */
import { randomBytes } from "node:crypto"
import { link, mkdir, open, rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { Fault, systemCode } from "./fault.ts"

const OWNER_FILE = 0o600
const OWNER_FOLDER = 0o700
const OTHERS = 0o077
const OTHERS_WRITE = 0o022
const READ_MAX_BYTES = 65_536

/** Windows has no modes. */
const hasModes = process.platform !== "win32"

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0")

export const ensureFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: OWNER_FOLDER }).catch((error: unknown) => {
    throw new Fault("folder_unusable", `${folder} cannot be made: ${systemCode(error) ?? "unknown"}`)
  })
  const { mode } = await stat(folder)
  if (hasModes && (mode & OTHERS_WRITE) !== 0)
    throw new Fault("folder_mode", `${folder} may be written by others (${octal(mode)}): chmod 700 ${folder}`)
}

const flushFolder = async (folder: string): Promise<void> => {
  if (!hasModes) return
  const handle = await open(folder, "r")
  await handle.sync().finally(() => handle.close())
}

const writeBeside = async (path: string, text: string | Uint8Array): Promise<string> => {
  const own = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`
  const handle = await open(own, "wx", OWNER_FILE)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return own
}

const inPlace = async (
  path: string,
  text: string | Uint8Array,
  place: (own: string) => Promise<void>
): Promise<void> => {
  let own: string | undefined
  try {
    own = await writeBeside(path, text)
    await place(own)
    await flushFolder(dirname(path))
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault("file_unwritable", `${path} cannot be written: ${systemCode(error) ?? "unknown"}`)
  } finally {
    if (own !== undefined) await rm(own, { force: true })
  }
}

const isThere = (path: string): Fault => new Fault("file_exists", `${path} is there already, and is never replaced`)

/** Throws if the path exists. Call it before the service makes a secret that is shown only once. */
export const requireFree = async (path: string): Promise<void> => {
  if ((await stat(path).catch(() => null)) !== null) throw isThere(path)
}

export const create = (path: string, text: string | Uint8Array): Promise<void> =>
  inPlace(path, text, (own) =>
    link(own, path).catch((error: unknown) => {
      throw systemCode(error) === "EEXIST" ? isThere(path) : error
    })
  )

export const replace = (path: string, text: string): Promise<void> => inPlace(path, text, (own) => rename(own, path))

/** Renames a file in place of another one, and flushes the folder. */
export const supersede = async (from: string, to: string): Promise<void> => {
  await rename(from, to)
  await flushFolder(dirname(to))
}

export const remove = (path: string): Promise<void> => rm(path, { force: true })

/** The content, or `null` if there is no such file. */
export const readSecret = async (path: string): Promise<string | null> => {
  const handle = await open(path, "r").catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return null
    throw new Fault("file_unreadable", `${path} cannot be read: ${systemCode(error) ?? "unknown"}`)
  })
  if (handle === null) return null
  try {
    // The open file itself is checked, so that it cannot be replaced before it is read.
    const about = await handle.stat()
    if (!about.isFile() || about.size > READ_MAX_BYTES) throw new Fault("file_unreadable", `${path} is no such file`)
    if (hasModes && (about.mode & OTHERS) !== 0)
      throw new Fault("file_mode", `${path} may be read by others (${octal(about.mode)}): chmod 600 ${path}`)
    return await handle.readFile("utf8")
  } finally {
    await handle.close()
  }
}
