/**
 * The folder of a backup on the disk.
 *
 * Invariants
 *  - The folder is written under another name. Each file is hashed while it is written, and flushed. The folder gets
 *    its own name when it is complete and flushed. So a folder of that name is a complete backup, whatever interrupted
 *    it.
 *  - Only the owner may read the folder, because it has the content of the log.
 */
import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { Fault } from "../cli/fault.ts"
import {
  type Manifest,
  MANIFEST,
  MANIFEST_MAX_BYTES,
  manifestText,
  readManifest,
  snapshotFile,
  tailFile
} from "./manifest.ts"

const PARTIAL = ".partial"
const READ_BYTES = 524_288

export interface WrittenBackupFile {
  readonly bytes: number
  readonly sha256: string
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error)

/** A file that is written once, from beginning to end. */
export class HashedFile {
  private readonly file: FileHandle
  private readonly hash = createHash("sha256")
  private bytes = 0

  private constructor(file: FileHandle) {
    this.file = file
  }

  static async create(path: string): Promise<HashedFile> {
    return new HashedFile(await open(path, "wx", 0o600))
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.hash.update(chunk)
    for (let at = 0; at < chunk.length;) at += (await this.file.write(chunk, at)).bytesWritten
    this.bytes += chunk.length
  }

  async end(): Promise<WrittenBackupFile> {
    await this.file.sync()
    await this.file.close()
    return { bytes: this.bytes, sha256: this.hash.digest("hex") }
  }

  /** Closes the file without syncing or hashing it. The caller deletes its folder. */
  async drop(): Promise<void> {
    await this.file.close().catch(() => undefined)
  }
}

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/**
 * Calls `fill` with a temporary folder to write into. Adds the manifest that `fill` returns, and renames the folder to
 * `target`.
 */
export const writeFolder = async (target: string, fill: (folder: string) => Promise<Manifest>): Promise<Manifest> => {
  const folder = resolve(target)
  if (basename(folder) === "") throw new Fault(`${target} cannot be a backup's folder`)
  await refuseFilled(target, folder)
  const partial = `${folder}${PARTIAL}`
  try {
    await mkdir(dirname(folder), { recursive: true })
    await mkdir(partial, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) === "EEXIST")
      throw new Fault(
        `${target}${PARTIAL} is there: a backup into ${target} is under way, or was killed; in that case remove it`
      )
    throw new Fault(`${target} cannot be written: ${codeOf(error)}`)
  }
  let written = partial
  try {
    const manifest = await fill(partial)
    const file = await HashedFile.create(join(partial, MANIFEST))
    await file.write(Buffer.from(manifestText(manifest)))
    await file.end()
    await syncFolder(partial)
    await rename(partial, folder)
    written = folder
    await syncFolder(dirname(folder))
    return manifest
  } catch (error) {
    await rm(written, { recursive: true, force: true })
    throw error
  }
}

const refuseFilled = async (target: string, folder: string): Promise<void> => {
  const held = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return []
    throw new Fault(`${target} cannot be a backup's folder: ${codeOf(error)}`)
  })
  if (held.length > 0) throw new Fault(`${target} already holds something: name a new folder`)
}

/**
 * Returns the manifest of a folder after checking that every file has the length and the hash that the manifest states.
 * Throws a Fault otherwise.
 */
export const checkedManifest = async (folder: string, signal: AbortSignal): Promise<Manifest> => {
  const manifest = await manifestOf(folder)
  for (const { name, snapshot, tail } of manifest.streams) {
    await checkFile(folder, snapshotFile(name), snapshot, signal)
    await checkFile(folder, tailFile(name), tail, signal)
  }
  return manifest
}

const manifestOf = async (folder: string): Promise<Manifest> => {
  const path = join(folder, MANIFEST)
  let text: string
  try {
    const chunks: Array<Buffer> = []
    let bytes = 0
    for await (const chunk of chunksOf(path)) {
      if ((bytes += chunk.length) > MANIFEST_MAX_BYTES)
        throw new Fault(`${path} is larger than ${MANIFEST_MAX_BYTES} bytes: it is no manifest of a backup`)
      chunks.push(chunk)
    }
    text = Buffer.concat(chunks).toString("utf8")
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault(`${folder} is no backup: its ${MANIFEST} cannot be read (${codeOf(error)})`)
  }
  const read = readManifest(text)
  if (!read.ok) throw new Fault(`${path} ${read.problem}`)
  return read.manifest
}

const checkFile = async (
  folder: string,
  name: string,
  stated: WrittenBackupFile,
  signal: AbortSignal
): Promise<void> => {
  const path = join(folder, name)
  const hash = createHash("sha256")
  let bytes = 0
  try {
    for await (const chunk of chunksOf(path)) {
      signal.throwIfAborted()
      hash.update(chunk)
      if ((bytes += chunk.length) > stated.bytes)
        throw new Fault(`${path} has more than the ${stated.bytes} bytes that the manifest says: the backup is damaged`)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Fault) throw error
    throw new Fault(`${path} cannot be read: ${codeOf(error)}`)
  }
  if (bytes !== stated.bytes)
    throw new Fault(`${path} has ${bytes} bytes, the manifest says ${stated.bytes}: the backup is damaged`)
  if (hash.digest("hex") !== stated.sha256)
    throw new Fault(`${path} does not have the checksum that the manifest says: the backup is damaged`)
}

/** Does not follow links, and does not wait for a pipe without a writer. */
const OPENED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Reads a file in chunks. Throws a Fault for a device, a pipe or a folder: a device, for example, may have no end. */
export async function* chunksOf(path: string, size: number = READ_BYTES): AsyncGenerator<Buffer> {
  const file = await open(path, OPENED)
  try {
    if (!(await file.stat()).isFile()) throw new Fault(`${path} is no file`)
    yield* file.createReadStream({ highWaterMark: size, autoClose: false })
  } finally {
    await file.close()
  }
}
