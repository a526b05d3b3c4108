/**
 * Checks the headers of a tar before the library reads them. The library reports only entries. It reads the data
 * between them (extended headers, long names) by itself, at a cost that no other limit covers.
 *
 * Invariants
 *  - Every header, and the records of extended headers (`x`, `g`), are checked before their last byte is passed on. So
 *    the library never gets a refused header.
 *  - One turn handles at most HEADERS_PER_TURN headers. Between two turns the process does other work.
 *  - Sizes are read in one way only. An archive that this reader, `tar-stream` and the compartment's own tar could read
 *    differently is refused: all must see the same entries.
 */
import { setImmediate as turn } from "node:timers/promises"
import { Broken } from "./archive-rules.ts"

const BLOCK_BYTES = 512
const HEADERS_PER_TURN = 64
/** The most bytes of an extended header. Names need at most 4 KB, but tools of some systems add attributes. */
const EXTENDED_MAX_BYTES = 65_536
const RECORDS_MAX = 100
/** The most bytes of a global header. `git archive` writes one, which contains the commit. */
const GLOBAL_MAX_BYTES = 4096

const [TYPE_AT, SIZE_AT, SIZE_END, SUM_AT, NAME_BYTES] = [156, 124, 136, 148, 100]
const ZEROS = Buffer.alloc(BLOCK_BYTES)
const LINE_FEED = 0x0a

/** True for a header of zeros, which ends an archive. Its checksum may have any value. */
const isEnd = (block: Buffer): boolean =>
  block.subarray(0, SUM_AT).equals(ZEROS.subarray(0, SUM_AT)) && block.subarray(TYPE_AT).equals(ZEROS.subarray(TYPE_AT))

const isZero = (bytes: Buffer): boolean => {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const part = bytes.subarray(at, at + BLOCK_BYTES)
    if (!part.equals(ZEROS.subarray(0, part.length))) return false
  }
  return true
}

const nameIn = (block: Buffer): string => block.toString("utf8", 0, NAME_BYTES).split("\0", 1)[0] ?? ""

/** Reads octal digits. Other forms are used only for files that are too large anyway. */
const sizeIn = (block: Buffer): number => {
  const [, digits = "", rest = ""] = /^ *([0-7]*)(.*)$/s.exec(block.toString("latin1", SIZE_AT, SIZE_END)) ?? []
  if (rest.replaceAll("\0", "").trim() !== "") throw new Broken("format", { entry: nameIn(block) })
  return digits === "" ? 0 : Number.parseInt(digits, 8)
}

/** Reads records of the form `<length> <key>=<value>\n`, whose lengths must be exact. */
const recordsIn = (body: Buffer, entry: string): ReadonlyMap<string, string> => {
  const records = new Map<string, string>()
  let count = 0
  for (let at = 0; at < body.length;) {
    if (++count > RECORDS_MAX) throw new Broken("extended_header_records", { entry, max: RECORDS_MAX })
    const [, digits] = /^(\d{1,6}) /.exec(body.toString("latin1", at, at + 7)) ?? []
    const end = at + Number(digits)
    const from = at + (digits?.length ?? 0) + 1
    if (digits === undefined || end <= from || end > body.length || body[end - 1] !== LINE_FEED)
      throw new Broken("format", { entry })
    const record = body.toString("utf8", from, end - 1)
    const equals = record.indexOf("=")
    if (equals <= 0) throw new Broken("format", { entry })
    records.set(record.slice(0, equals), record.slice(equals + 1))
    at = end
  }
  return records
}

const SPARSE = /^(?:GNU\.sparse\.|SCHILY\.realsize$)/

interface Extended {
  readonly kind: string
  readonly size: number
  readonly name: string
}

class Headers {
  /** Bytes of data and padding before the next header. */
  #pass = 0
  #held: Buffer = Buffer.alloc(0)
  #wanted = BLOCK_BYTES
  /** The extended header whose content follows. */
  #extended: Extended | null = null
  /** Kinds of extended headers since the last entry. */
  readonly #kinds = new Set<string>()
  #isFirst = true
  /** The size that an extended header gives to the next entry. */
  #size: number | null = null
  #hasEnded = false

  /**
   * Examines headers from `from` on. Returns the position that it reached: the chunk's end, or less if one turn's
   * number of headers is used up.
   */
  walk(chunk: Buffer, from: number): number {
    let at = from
    for (let headers = 0; at < chunk.length && headers < HEADERS_PER_TURN;) {
      if (this.#hasEnded) {
        // After the end of an archive, some readers stop and others continue.
        if (!isZero(chunk.subarray(at))) throw new Broken("format")
        return chunk.length
      }
      const passed = Math.min(this.#pass, chunk.length - at)
      this.#pass -= passed
      at += passed
      const part = chunk.subarray(at, at + this.#wanted - this.#held.length)
      at += part.length
      this.#held = this.#held.length === 0 ? part : Buffer.concat([this.#held, part])
      if (this.#held.length < this.#wanted) continue
      const block = this.#held
      this.#held = block.subarray(0, 0)
      headers++
      if (this.#extended === null) this.#header(block)
      else this.#body(this.#extended, block)
    }
    return at
  }

  #header(block: Buffer): void {
    if (isEnd(block)) {
      this.#hasEnded = true
      return
    }
    const [kind, size, name] = [String.fromCharCode(block[TYPE_AT] ?? 0), sizeIn(block), nameIn(block)]
    if (kind === "g" || kind === "x" || kind === "L" || kind === "K") {
      this.#begin({ kind, size, name })
      return
    }
    // An old kind of long name: the library accepts it, but tar takes it as a file.
    if (kind === "N") throw new Broken("type", { entry: name })
    if (this.#size !== null && this.#size !== size) throw new Broken("format", { entry: name })
    this.#kinds.clear()
    this.#isFirst = false
    this.#size = null
    this.#pass = Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  }

  #begin({ kind, size, name }: Extended): void {
    const isGlobal = kind === "g"
    if (isGlobal && !this.#isFirst) throw new Broken("global_header", { entry: name })
    // Readers disagree on which one counts: of two headers of a kind, or of an `x` header and a long name.
    const isOneMore = this.#kinds.has(kind) || (kind === "x" ? this.#kinds.size > 0 : this.#kinds.has("x"))
    if (isOneMore) throw new Broken("extended_headers", { entry: name, max: kind === "x" ? 1 : 2 })
    const max = isGlobal ? GLOBAL_MAX_BYTES : EXTENDED_MAX_BYTES
    if (size > max) throw new Broken("extended_header_bytes", { entry: name, max })
    if (size === 0) throw new Broken("format", { entry: name })
    if (!isGlobal) this.#kinds.add(kind)
    this.#isFirst = false
    this.#extended = { kind, size, name }
    this.#wanted = size
  }

  #body({ kind, size, name }: Extended, body: Buffer): void {
    if (kind === "g" || kind === "x") this.#records(kind, recordsIn(body, name), name)
    this.#extended = null
    this.#wanted = BLOCK_BYTES
    this.#pass = Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES - size
  }

  #records(kind: "g" | "x", records: ReadonlyMap<string, string>, name: string): void {
    const entry = records.get("GNU.sparse.name") ?? records.get("path") ?? name
    for (const [key, value] of records) {
      if (SPARSE.test(key)) throw new Broken("sparse", { entry })
      if (kind === "g" && key !== "comment") throw new Broken("global_header", { entry: name })
      // Readers disagree on whether an empty value removes the one in the header.
      if ((key === "path" || key === "linkpath") && value === "") throw new Broken("format", { entry: name })
      if (key !== "size") continue
      if (!/^\d{1,15}$/.test(value)) throw new Broken("format", { entry })
      this.#size = Number(value)
    }
  }
}

/** Yields the bytes of a tar. Throws at the first header that breaks a rule. */
export async function* walked(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  const headers = new Headers()
  for await (const chunk of chunks)
    for (let from = 0; from < chunk.length;) {
      const to = headers.walk(chunk, from)
      yield chunk.subarray(from, to)
      if (to < chunk.length) await turn()
      from = to
    }
}
