/**
 * The journal of a compartment's output. It has chunks of bytes as they were read, in segment files `<number>.log` of
 * one folder.
 *
 * Invariants
 *  - A chunk is written to a file by one call before the next is read. So when this process is killed, all that it has
 *    read is there. (There is no fsync: a crash of the machine may lose the last seconds.)
 *  - A record ends with a checksum over all of it. Reading ends at the first record with a wrong checksum, and the rest
 *    is cut off. So an incomplete end loses nothing else.
 *  - A segment begins with a record of the state at that point, so that earlier segments are not needed. A file without
 *    it is no segment: the process was killed while it created the file.
 *  - A segment exceeds SEGMENT_MAX_BYTES by at most one record. The reader decides how many old segments are kept
 *    (`keep`).
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"

export const SEGMENT_MAX_BYTES = 1024 * 1024
/** The longest content of a record. A record with a longer one is invalid. */
const RECORD_MAX_BYTES = 1024 * 1024

/** The bytes before the content: kind, time and length. The checksum follows the content. */
const HEAD_BYTES = 1 + 6 + 4
const CHECK_BYTES = 4

/** The kinds of records. `begin`: the state at the beginning of a segment. `end`: incomplete lines are complete now. */
const RECORD_KINDS = ["begin", "stdout", "stderr", "system", "end"] as const
type RecordKind = (typeof RECORD_KINDS)[number]

export interface JournalRecord {
  readonly kind: RecordKind
  /** Unix ms. */
  readonly at: number
  readonly bytes: Uint8Array
}

function encode({ kind, at, bytes }: JournalRecord): Buffer {
  const out = Buffer.allocUnsafe(HEAD_BYTES + bytes.length + CHECK_BYTES)
  out.writeUInt8(RECORD_KINDS.indexOf(kind), 0)
  out.writeUIntBE(at, 1, 6)
  out.writeUInt32BE(bytes.length, 7)
  out.set(bytes, HEAD_BYTES)
  out.writeUInt32BE(crc32(out.subarray(0, HEAD_BYTES + bytes.length)), HEAD_BYTES + bytes.length)
  return out
}

function writeAll(fd: number, bytes: Uint8Array): number {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
  return bytes.length
}

/** The complete records, and the offset of their end. */
export function decode(file: Buffer): { readonly records: ReadonlyArray<JournalRecord>; readonly end: number } {
  const records: Array<JournalRecord> = []
  let at = 0
  while (at + HEAD_BYTES + CHECK_BYTES <= file.length) {
    const kind = RECORD_KINDS[file.readUInt8(at)]
    const length = file.readUInt32BE(at + 7)
    const body = at + HEAD_BYTES
    if (kind === undefined || length > RECORD_MAX_BYTES || body + length + CHECK_BYTES > file.length) break
    if (file.readUInt32BE(body + length) !== crc32(file.subarray(at, body + length))) break
    records.push({ kind, at: file.readUIntBE(at + 1, 6), bytes: file.subarray(body, body + length) })
    at = body + length + CHECK_BYTES
  }
  return { records, end: at }
}

const NAME = /^(\d{1,15})\.log$/

function numbersIn(folder: string): ReadonlyArray<number> {
  const found = readdirSync(folder).flatMap((name) => NAME.exec(name)?.[1] ?? [])
  return found.map(Number).toSorted((a, b) => a - b)
}

export class Journal {
  private readonly folder: string
  private numbers: Array<number> = []
  private fd: number | null = null
  private size = 0

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Reads the existing records, oldest first, and appends after them. */
  static open(folder: string, read: (record: JournalRecord) => void): Journal {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const journal = new Journal(folder)
    for (const number of numbersIn(folder)) journal.resume(number, read)
    return journal
  }

  private path(number: number): string {
    return join(this.folder, `${number}.log`)
  }

  private resume(number: number, read: (record: JournalRecord) => void): void {
    const { records, end } = decode(readFileSync(this.path(number)))
    if (records[0]?.kind !== "begin") {
      rmSync(this.path(number), { force: true })
      return
    }
    for (const record of records) read(record)
    this.close()
    this.fd = openSync(this.path(number), "a", 0o600)
    if (fstatSync(this.fd).size !== end) ftruncateSync(this.fd, end)
    this.size = end
    this.numbers.push(number)
  }

  /** True if the next record belongs into a new segment. The caller then has to call `begin`. */
  get full(): boolean {
    return this.fd === null || this.size >= SEGMENT_MAX_BYTES
  }

  begin(state: Uint8Array): void {
    const number = (this.numbers.at(-1) ?? 0) + 1
    const fd = openSync(this.path(number), "w", 0o600)
    try {
      this.size = writeAll(fd, encode({ kind: "begin", at: Date.now(), bytes: state }))
    } catch (cause) {
      closeSync(fd)
      rmSync(this.path(number), { force: true })
      throw cause
    }
    this.close()
    this.fd = fd
    this.numbers.push(number)
  }

  write(record: JournalRecord): void {
    if (this.fd !== null) this.size += writeAll(this.fd, encode(record))
  }

  drop(keep: number): void {
    const gone = this.numbers.splice(0, Math.max(0, this.numbers.length - keep))
    for (const number of gone) rmSync(this.path(number), { force: true })
  }

  close(): void {
    if (this.fd !== null) closeSync(this.fd)
    this.fd = null
  }
}
