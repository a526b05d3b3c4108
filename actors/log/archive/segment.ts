/**
 * A segment of the archive: a stretch of the log, in one object that is written once. Its commits that have an end are
 * in other objects beside it, its parts (ending.ts).
 *
 * Layout
 *  - Blocks: zstd frames with a checksum each. `zstd -dc` shows the whole object as text, one commit a line.
 *  - Then one skippable zstd frame: the index, the footer as JSON, its length (4 bytes), the beginning of its hash (8)
 *    and the mark `HUBSEG01`.
 *  - Parts: zstd frames alone. The footer says which frame of a part belongs to which block. A block and its frames
 *    cover the same sequences, and readers merge their lines. A block whose commits are all in parts has no bytes.
 *  - A line: sequence, subject, Unix ms, sequence of the commit before it on its subject, Unix ms at which the log
 *    forgets it, traceparent, commit. They are separated by spaces, and `-` stands for a missing value.
 *  - The index: 257 running counts by the first byte of a subject's hash, then pairs of a hash and the number of a
 *    block, in the order of the hashes. If two subjects have the same hash, a block may be read that has no commit of
 *    the wanted one.
 *
 * Invariants
 *  - A segment names its sequences, and its footer names the segment before it with its hash. So the newest one fixes
 *    the whole archive, and any change in it is seen.
 *  - Reads are checked: a block by its own checksum, the index by the footer, the footer by its hash. The hash in the
 *    next segment checks the whole, and with the footer the hash of each part.
 *  - A segment with parts has another version in its footer. So an earlier release refuses it, and does not read it
 *    without its parts.
 */
import { createHash, hash } from "node:crypto"
import { promisify } from "node:util"
import { constants, zstdCompress, zstdDecompress } from "node:zlib"
import { Schema } from "effect"
import { partName, weekEndOf } from "./part-name.ts"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Characters of text in one block, before compression. */
const BLOCK_CHARS = 65_536
const BLOCK_MAX_BYTES = 16_777_216
const COMPRESSION = {
  params: { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: 3 }
}
const SKIPPABLE = 0x184d2a50
const MARK = Buffer.from("HUBSEG01")
const SUM_BYTES = 8
const TRAILER_BYTES = 4 + SUM_BYTES + MARK.length
const FANOUT = 257
const FANOUT_BYTES = FANOUT * 4
const PAIR_BYTES = 8
/**
 * Bytes at the end of an object that are read first. They contain the footer, unless the segment has very many blocks.
 */
const TAIL_BYTES = 32_768
const NONE = "-"

export interface Archived {
  readonly seq: number
  readonly subject: string
  /** Unix ms at which the log took it. */
  readonly at: number
  /** The sequence of the previous commit on the subject; `null` if the log does not say. */
  readonly previous: number | null
  /** Unix ms at which the log deletes the commit; `null` for never. */
  readonly expires: number | null
  readonly traceparent: string | null
  readonly data: Uint8Array
}

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

/** Names a segment: the sequences that it covers, and the hash of the whole object. */
export const SegmentName = Schema.Struct({ first: Count, last: Count, sha256: Sha256 })
export type SegmentName = typeof SegmentName.Type

/** Commits of a segment that end by the same time. */
const Part = Schema.Struct({
  /** Unix ms at which all commits of the part have ended. */
  ends: Count,
  sha256: Sha256,
  /**
   * Three numbers for each frame: its block, its offset, and its length in bytes. They are not nested, because there
   * are many.
   */
  frames: Schema.Array(Count)
})
type Part = typeof Part.Type

const Footer = Schema.Struct({
  /** 2 for a segment with parts. */
  v: Schema.Literals([1, 2]),
  first: Count,
  last: Count,
  commits: Count,
  /** For each block: its offset, its length in bytes, and its first sequence. */
  blocks: Schema.Array(Schema.Tuple([Count, Count, Count])),
  index: Schema.Struct({ offset: Count, bytes: Count, sha256: Sha256 }),
  /** The hash of the bytes before the skippable frame. */
  sha256: Sha256,
  parts: Schema.optionalKey(Schema.Array(Part)),
  previous: Schema.NullOr(SegmentName)
})
export type Footer = typeof Footer.Type

const readFooter = Schema.decodeUnknownSync(Schema.fromJsonString(Footer))

/** The bytes do not match the name or the footer. The segment is damaged, or the object is no segment. */
export class DamagedSegment extends Error {}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

const sumOf = (footer: Uint8Array): Buffer => createHash("sha256").update(footer).digest().subarray(0, SUM_BYTES)

const hashOf = (subject: string): number => hash("sha1", subject, "buffer").readUInt32BE(0)

const orNone = (value: number | string | null): string => (value === null ? NONE : String(value))

const lineOf = ({ seq, subject, at, previous, expires, traceparent, data }: Archived): string => {
  const text = Buffer.from(data).toString()
  // Commits are JSON in one line. Other data is stored in base64.
  const plain = /^\{[^\n]*\}$/.test(text) ? text : `=${Buffer.from(data).toString("base64")}`
  return `${seq} ${subject} ${at} ${orNone(previous)} ${orNone(expires)} ${orNone(traceparent)} ${plain}\n`
}

const FIELDS = 6

export const archivedIn = (line: string): Archived => {
  const fields: Array<string> = []
  let from = 0
  for (let field = 0; field < FIELDS; field++) {
    const to = line.indexOf(" ", from)
    if (to < 0) throw new DamagedSegment("a line of a segment ends too early")
    fields.push(line.slice(from, to))
    from = to + 1
  }
  const [seq = "", subject = "", at = "", previous = "", expires = "", traceparent = ""] = fields
  const rest = line.slice(from)
  return {
    seq: Number(seq),
    subject,
    at: Number(at),
    previous: previous === NONE ? null : Number(previous),
    expires: expires === NONE ? null : Number(expires),
    traceparent: traceparent === NONE ? null : traceparent,
    data: rest.startsWith("=") ? Buffer.from(rest.slice(1), "base64") : Buffer.from(rest)
  }
}

/**
 * The object name of a segment. Names sort in the order of the segments. If the same stretch is sealed twice, two
 * objects may result, because the log may have forgotten commits in between.
 */
export const objectName = ({ first, last, sha256 }: SegmentName): string =>
  `${String(first).padStart(16, "0")}-${String(last).padStart(16, "0")}-${sha256.slice(0, 16)}.zst`

export interface Sealed extends SegmentName {
  readonly object: Buffer
  readonly commits: number
  /** The parts, which must be stored before the segment. */
  readonly parts: ReadonlyArray<{ readonly name: string; readonly object: Buffer }>
}

interface OpenPart {
  readonly chunks: Array<Buffer>
  readonly frames: Array<number>
  lines: Array<string>
  bytes: number
}

const packed = async (lines: ReadonlyArray<string>): Promise<Buffer> =>
  lines.length === 0 ? Buffer.alloc(0) : compress(Buffer.from(lines.join("")), COMPRESSION)

export class SegmentWriter {
  /** Characters of all lines so far. They decide when a segment is large enough. */
  chars = 0
  commits = 0
  private readonly chunks: Array<Buffer> = []
  private readonly blocks: Array<readonly [number, number, number]> = []
  /** Hash and block number combined into one number, so that they sort as numbers. */
  private readonly pairs = new Set<number>()
  private lines: Array<string> = []
  private readonly parts = new Map<number, OpenPart>()
  private lineChars = 0
  private blockFirst = 0
  private bytes = 0

  async add(commit: Archived): Promise<void> {
    const line = lineOf(commit)
    if (this.lineChars === 0) this.blockFirst = commit.seq
    if (commit.expires === null) this.lines.push(line)
    else this.partOf(commit.expires).lines.push(line)
    this.lineChars += line.length
    this.chars += line.length
    this.commits++
    this.pairs.add(hashOf(commit.subject) * 2 ** 20 + this.blocks.length)
    if (this.lineChars >= BLOCK_CHARS) await this.endBlock()
  }

  private partOf(expires: number): OpenPart {
    const ends = weekEndOf(expires)
    const part = this.parts.get(ends) ?? { chunks: [], frames: [], lines: [], bytes: 0 }
    this.parts.set(ends, part)
    return part
  }

  private async endBlock(): Promise<void> {
    for (const part of this.parts.values()) {
      if (part.lines.length === 0) continue
      const frame = await packed(part.lines)
      part.frames.push(this.blocks.length, part.bytes, frame.length)
      part.chunks.push(frame)
      part.bytes += frame.length
      part.lines = []
    }
    const block = await packed(this.lines)
    this.blocks.push([this.bytes, block.length, this.blockFirst])
    this.chunks.push(block)
    this.bytes += block.length
    ;[this.lines, this.lineChars] = [[], 0]
  }

  /** Ends the segment. It covers `first` to `last`, even if the log has deleted the commits at both ends. */
  async end(first: number, last: number, previous: SegmentName | null): Promise<Sealed> {
    if (this.lineChars > 0) await this.endBlock()
    const body = Buffer.concat(this.chunks)
    const index = this.index()
    const parts = [...this.parts]
      .toSorted(([one], [other]) => one - other)
      .map(([ends, { chunks, frames }]) => {
        const object = Buffer.concat(chunks)
        return { ends, frames, sha256: sha256(object), object }
      })
    const footer: Footer = {
      v: parts.length === 0 ? 1 : 2,
      first,
      last,
      commits: this.commits,
      blocks: this.blocks,
      index: { offset: body.length + 8, bytes: index.length, sha256: sha256(index) },
      sha256: sha256(body),
      ...(parts.length === 0 ? {} : { parts: parts.map(({ object: _, ...part }) => part) }),
      previous
    }
    const text = Buffer.from(JSON.stringify(footer))
    const [head, trailer] = [Buffer.alloc(8), Buffer.alloc(4)]
    head.writeUInt32LE(SKIPPABLE, 0)
    head.writeUInt32LE(index.length + text.length + TRAILER_BYTES, 4)
    trailer.writeUInt32LE(text.length, 0)
    const object = Buffer.concat([body, head, index, text, trailer, sumOf(text), MARK])
    const named = parts.map((part) => ({ name: partName({ ...part, first, last }), object: part.object }))
    return { first, last, commits: this.commits, sha256: sha256(object), object, parts: named }
  }

  private index(): Buffer {
    const pairs = [...this.pairs].toSorted((one, other) => one - other)
    const index = Buffer.alloc(FANOUT_BYTES + pairs.length * PAIR_BYTES)
    const counts = new Uint32Array(FANOUT)
    for (const [at, pair] of pairs.entries()) {
      const hashed = Math.floor(pair / 2 ** 20)
      counts[(hashed >>> 24) + 1] = at + 1
      index.writeUInt32LE(hashed, FANOUT_BYTES + at * PAIR_BYTES)
      index.writeUInt32LE(pair % 2 ** 20, FANOUT_BYTES + at * PAIR_BYTES + 4)
    }
    let most = 0
    for (const [at, count] of counts.entries()) index.writeUInt32LE((most = Math.max(most, count)), at * 4)
    return index
  }
}

/** Reads one object: its size, and a range of its bytes, which is shorter at the object's end. */
export interface ObjectReader {
  readonly bytes: number
  readonly read: (offset: number, bytes: number) => Promise<Buffer>
}

export interface Parts {
  /** True if every commit of a part with this end (Unix ms) is over, and the part may be gone. */
  readonly areOver: (ends: number) => boolean
  readonly open: (name: string) => Promise<ObjectReader>
}

/** An open segment. Its footer is in memory; the rest is read when it is needed. */
export class Segment {
  readonly footer: Footer
  private readonly object: ObjectReader
  private readonly parts: Parts
  private readonly openParts = new Map<string, Promise<ObjectReader>>()
  private fanout: Promise<Buffer> | null = null

  private constructor(object: ObjectReader, parts: Parts, footer: Footer) {
    this.object = object
    this.parts = parts
    this.footer = footer
  }

  static async open(object: ObjectReader, parts: Parts): Promise<Segment> {
    const tail = await object.read(Math.max(0, object.bytes - TAIL_BYTES), Math.min(TAIL_BYTES, object.bytes))
    if (tail.length < TRAILER_BYTES || !tail.subarray(-MARK.length).equals(MARK))
      throw new DamagedSegment("an object of the archive does not end like a segment")
    const length = tail.readUInt32LE(tail.length - TRAILER_BYTES)
    const from = tail.length - TRAILER_BYTES - length
    const text =
      from >= 0 ? tail.subarray(from, -TRAILER_BYTES) : await object.read(object.bytes - TRAILER_BYTES - length, length)
    const sum = tail.subarray(tail.length - MARK.length - SUM_BYTES, -MARK.length)
    if (!sumOf(text).equals(sum)) throw new DamagedSegment("a segment's footer does not have the hash that is stated")
    try {
      return new Segment(object, parts, readFooter(text.toString()))
    } catch (cause) {
      throw new DamagedSegment("a segment's footer cannot be read", { cause })
    }
  }

  async blocksOf(subject: string): Promise<ReadonlyArray<number>> {
    const { offset } = this.footer.index
    const fanout = await (this.fanout ??= this.checkedFanout())
    const hashed = hashOf(subject)
    const [from, to] = [fanout.readUInt32LE((hashed >>> 24) * 4), fanout.readUInt32LE(((hashed >>> 24) + 1) * 4)]
    if (from >= to) return []
    const pairs = await this.object.read(offset + FANOUT_BYTES + from * PAIR_BYTES, (to - from) * PAIR_BYTES)
    const blocks: Array<number> = []
    for (let at = 0; at + PAIR_BYTES <= pairs.length; at += PAIR_BYTES)
      if (pairs.readUInt32LE(at) === hashed) blocks.push(pairs.readUInt32LE(at + 4))
    return blocks
  }

  /** The counts of the index. They are cached after the whole index was checked. */
  private checkedFanout(): Promise<Buffer> {
    const { offset, bytes, sha256: stated } = this.footer.index
    const fanout = this.object.read(offset, bytes).then((index) => {
      if (sha256(index) !== stated) throw new DamagedSegment("a segment's index does not have the hash that is stated")
      return Buffer.from(index.subarray(0, FANOUT_BYTES))
    })
    fanout.catch(() => (this.fanout = null))
    return fanout
  }

  /** The block that contains a sequence or would contain it. A sequence before the segment gives the first block. */
  blockAt(seq: number): number {
    const after = this.footer.blocks.findIndex(([, , first]) => first > seq)
    return Math.max(0, (after < 0 ? this.footer.blocks.length : after) - 1)
  }

  get blockCount(): number {
    return this.footer.blocks.length
  }

  /** The lines of a block with those of its parts, in order. Lines of a part that is over are left out. */
  async block(number: number): Promise<ReadonlyArray<string>> {
    const place = this.footer.blocks[number]
    if (place === undefined) throw new DamagedSegment(`a segment's index names block ${number}, which it does not have`)
    const [offset, bytes] = place
    const frames = this.liveParts.map(async (part) => {
      const frame = frameOf(part, number)
      return frame === null ? [] : unpacked(await this.openPart(part), { ...frame, number })
    })
    const [own = [], ...others] = await Promise.all([unpacked(this.object, { offset, bytes, number }), ...frames])
    if (others.every((lines) => lines.length === 0)) return own
    return [own, ...others].flat().toSorted((one, other) => headOf(one).seq - headOf(other).seq)
  }

  get liveParts(): ReadonlyArray<Part> {
    return (this.footer.parts ?? []).filter(({ ends }) => !this.parts.areOver(ends))
  }

  /** True if commits of this segment have ended and cannot be read any more. */
  get hasLost(): boolean {
    return this.liveParts.length < (this.footer.parts ?? []).length
  }

  nameOf({ ends, sha256 }: Part): string {
    const { first, last } = this.footer
    return partName({ first, last, ends, sha256 })
  }

  /** Rejects if the part is missing. */
  openPart(part: Part): Promise<ObjectReader> {
    const name = this.nameOf(part)
    const known = this.openParts.get(name)
    if (known !== undefined) return known
    const opened = this.parts.open(name)
    this.openParts.set(name, opened)
    opened.catch(() => this.openParts.delete(name))
    return opened
  }
}

interface Frame {
  readonly offset: number
  readonly bytes: number
}

/** The place of a part's commits of a block; `null` if it has none there. */
const frameOf = ({ frames }: Part, number: number): Frame | null => {
  for (let at = 0; at + 2 < frames.length; at += 3)
    if (frames[at] === number) return { offset: frames[at + 1] ?? 0, bytes: frames[at + 2] ?? 0 }
  return null
}

const unpacked = async (
  object: ObjectReader,
  { offset, bytes, number }: Frame & { readonly number: number }
): Promise<ReadonlyArray<string>> => {
  if (bytes === 0) return []
  const read = await object.read(offset, bytes)
  const text = await decompress(read, { maxOutputLength: BLOCK_MAX_BYTES }).catch((cause: unknown) => {
    throw new DamagedSegment(`block ${number} of a segment cannot be unpacked`, { cause })
  })
  return text.toString().split("\n").slice(0, -1)
}

const HASHED_BYTES = 4_194_304

/** Computes the hash of a whole object. */
export const sha256Of = async (object: ObjectReader): Promise<string> => {
  const hashing = createHash("sha256")
  for (let at = 0; at < object.bytes;) {
    const piece = await object.read(at, Math.min(HASHED_BYTES, object.bytes - at))
    if (piece.length === 0) break
    hashing.update(piece)
    at += piece.length
  }
  return hashing.digest("hex")
}

export const isOf = (line: string, subject: string): boolean => {
  const from = line.indexOf(" ") + 1
  return line.startsWith(subject, from) && line.charAt(from + subject.length) === " "
}

export const headOf = (line: string): Pick<Archived, "seq" | "subject"> => {
  const from = line.indexOf(" ")
  const to = line.indexOf(" ", from + 1)
  if (to < 0) throw new DamagedSegment("a line of a segment ends too early")
  return { seq: Number(line.slice(0, from)), subject: line.slice(from + 1, to) }
}

export const placeOf = (subject: string): { readonly kind: string; readonly id: string } => {
  const [, , kind = "", ...id] = subject.split(".")
  return { kind, id: id.join(".") }
}
