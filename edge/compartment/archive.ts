/**
 * A `.tar.gz` for a compartment, judged before anything of it is kept (contract 8): it is read once, as a stream, and
 * nothing of it is unpacked here.
 *
 * Invariants
 *  - What is refused is named by a rule. Reading ends at the first entry that breaks one, and at the bounds: a bomb costs
 *    what the bounds allow and no more.
 *  - No entry lies outside of its folder, none is reached through a link of the archive, no link leads out of the folder,
 *    and nothing but files, folders and links is in it.
 *  - It is unpacked where it belongs, by its compartment's own user (actors/runtime/host/): whatever an archive does that
 *    is not seen here, it does there alone.
 */
import { posix } from "node:path"
import { Readable, type Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { extract, type Header } from "tar-stream"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"

export interface Judged {
  readonly files: number
  /** Unpacked. */
  readonly bytes: number
}

export type ArchiveRule =
  | "format"
  | "empty"
  | "absolute_path"
  | "dot_dot"
  | "name"
  | "link_outside"
  | "through_link"
  | "device"
  | "type"
  | "entries_max"
  | "unpacked_max"

type Bounds = Pick<Limits["runtime"], "archive_entries_max" | "archive_unpacked_max_bytes">

class Broken extends Error {
  readonly rule: ArchiveRule
  readonly entry: string | null

  constructor(rule: ArchiveRule, entry: string | null = null) {
    super(rule)
    this.rule = rule
    this.entry = entry
  }
}

const SAYS: Readonly<Record<ArchiveRule, string>> = {
  format: "The body must be a gzipped tar archive.",
  empty: "The archive holds nothing.",
  absolute_path: "An entry has an absolute path.",
  dot_dot: "An entry's path holds `..`.",
  name: "An entry's name is too long, or holds control characters.",
  link_outside: "A link leads out of the folder.",
  through_link: "An entry lies behind a link of the archive.",
  device: "The archive holds a device, a pipe or a socket.",
  type: "The archive holds an entry that is neither file nor folder nor link.",
  entries_max: "The archive has too many entries.",
  unpacked_max: "The archive is too large once it is unpacked."
}

const PATH_MAX_BYTES = 1024
const PART_MAX_BYTES = 255
const SHOWN_MAX_CHARS = 200
const ENTRY_TYPES: ReadonlySet<string> = new Set(["file", "contiguous-file", "directory", "symlink", "link"])
const FILE_TYPES: ReadonlySet<string> = new Set(["file", "contiguous-file"])
const DEVICES: ReadonlySet<string> = new Set(["character-device", "block-device", "fifo"])

/** Relative, without dots and empty parts; "" is the folder itself. */
const pathOf = (name: string): string => {
  if (name.startsWith("/")) throw new Broken("absolute_path", name)
  const parts = name.split("/").filter((part) => part !== "" && part !== ".")
  if (parts.includes("..")) throw new Broken("dot_dot", name)
  // Of control characters: what a terminal would take for an order, and what no file system takes.
  const isFine = (part: string) => Buffer.byteLength(part) <= PART_MAX_BYTES && !/\p{Cc}|\ufffd/u.test(part)
  if (Buffer.byteLength(name) > PATH_MAX_BYTES || !parts.every(isFine)) throw new Broken("name", name)
  return parts.join("/")
}

/** A symbolic link is read from where it lies, a hard one from the folder. */
const checkLink = (path: string, { type, linkname, name }: Header): void => {
  const target = linkname ?? ""
  if (target === "" || target.startsWith("/") || target.includes("\0")) throw new Broken("link_outside", name)
  const from = type === "symlink" ? posix.dirname(path) : "."
  const to = posix.normalize(posix.join(from, target))
  if (to === ".." || to.startsWith("../")) throw new Broken("link_outside", name)
}

/** Fewer and larger than usual: each is a turn of the edge's loop. */
const CHUNK_BYTES = 262_144
/** Longer than the largest takes on a busy machine: whatever is still read then is none. */
const JUDGE_MAX_MS = 60_000

class Judge {
  readonly #bounds: Bounds
  readonly #links = new Set<string>()
  #entries = 0
  files = 0
  bytes = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  entry(header: Header): void {
    const { name, size = 0 } = header
    const type: string = header.type ?? "unknown"
    if (++this.#entries > this.#bounds.archive_entries_max) throw new Broken("entries_max")
    if (DEVICES.has(type)) throw new Broken("device", name)
    if (!ENTRY_TYPES.has(type)) throw new Broken("type", name)
    // What only files have: the reader would wait for bytes of others, or pass over what is hidden there.
    if (size > 0 && !FILE_TYPES.has(type)) throw new Broken("format", name)
    const path = pathOf(name)
    this.bytes += size
    if (this.bytes > this.#bounds.archive_unpacked_max_bytes) throw new Broken("unpacked_max", name)
    if (this.#isBehindLink(path)) throw new Broken("through_link", name)
    if (type === "symlink" || type === "link") {
      checkLink(path, header)
      // A hard link's target may be a link itself: then so is this.
      this.#links.add(path)
    } else this.#links.delete(path)
    if (type !== "directory") this.files++
  }

  #isBehindLink(path: string): boolean {
    if (this.#links.size === 0) return false
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1))
      if (this.#links.has(path.slice(0, end))) return true
    return false
  }

  done(): Judged {
    if (this.#entries === 0) throw new Broken("empty")
    return { files: this.files, bytes: this.bytes }
  }
}

/** What is unpacked beside the files: headers, padding, and what tools write for themselves. */
const OVERHEAD_BYTES = 33_554_432

/** Counts what comes out, whatever the archive says of its sizes. */
const counted = (max: number) =>
  async function* (chunks: AsyncIterable<Uint8Array>) {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > max) throw new Broken("unpacked_max")
      yield chunk
    }
  }

const refused = ({ rule, entry }: Broken): Refusal =>
  refusal("archive_invalid", SAYS[rule], {
    field: "body",
    rule,
    ...(entry === null ? {} : { entry: entry.replace(/\p{Cc}/gu, "?").slice(0, SHOWN_MAX_CHARS) })
  })

export const judgeArchive = async (
  body: Uint8Array,
  bounds: Bounds
): Promise<Judged | { readonly refused: Refusal }> => {
  const judge = new Judge(bounds)
  const reader = extract()
  reader.on("entry", (header, stream, next) => {
    // It ends with its reader, which has told why.
    stream.on("error", () => undefined)
    try {
      judge.entry(header)
    } catch (error) {
      reader.destroy(error as Error)
      return
    }
    stream.on("end", next)
    stream.resume()
  })
  try {
    const max = bounds.archive_unpacked_max_bytes + OVERHEAD_BYTES
    const parts = [createGunzip({ chunkSize: CHUNK_BYTES }), counted(max), reader as unknown as Writable] as const
    await pipeline(Readable.from([body]), ...parts, { signal: AbortSignal.timeout(JUDGE_MAX_MS) })
    return judge.done()
  } catch (error) {
    return { refused: refused(error instanceof Broken ? error : new Broken("format")) }
  }
}
