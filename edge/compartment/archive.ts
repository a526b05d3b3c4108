/**
 * Checks a `.tar.gz` for a compartment before it is stored (contract 8). It is read once, as a stream, and not unpacked
 * here.
 *
 * Invariants
 *  - Each refusal names a rule. Reading ends at the first entry that breaks one, and at the bounds, so a decompression
 *    bomb costs no more than these allow. Targets of links are checked after the last entry.
 *  - Every header is checked before the library reads it (archive-headers.ts), even if it is no entry, because a few
 *    bytes of a tar may be costly.
 *  - No entry is outside its folder or reached through a link of the archive, and no link leads out of the folder
 *    (archive-links.ts). Only files, folders and links are allowed.
 *  - It is unpacked inside of the compartment by the compartment's own user (actors/runtime/host/), so a fault that is
 *    not found here has an effect only there.
 */
import { Readable, type Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { extract, type Header } from "tar-stream"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { walked } from "./archive-headers.ts"
import { Links, pathOf } from "./archive-links.ts"
import { Broken } from "./archive-rules.ts"

export interface ArchiveSize {
  readonly files: number
  /** The unpacked size. */
  readonly bytes: number
}

type Bounds = Pick<Limits["runtime"], "archive_entries_max" | "archive_unpacked_max_bytes">

const ENTRY_TYPES: ReadonlySet<string> = new Set(["file", "contiguous-file", "directory", "symlink", "link"])
const FILE_TYPES: ReadonlySet<string> = new Set(["file", "contiguous-file"])
const DEVICES: ReadonlySet<string> = new Set(["character-device", "block-device", "fifo"])

/** Larger than the default, because each chunk takes a turn of the event loop. */
const CHUNK_BYTES = 262_144
/** An archive that takes longer is refused. */
const JUDGE_MAX_MS = 60_000

class Judge {
  readonly #bounds: Bounds
  readonly #links = new Links()
  #entries = 0
  #files = 0
  #bytes = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  entry(header: Header): void {
    const { name, linkname, size = 0 } = header
    const type: string = header.type ?? "unknown"
    const { archive_entries_max, archive_unpacked_max_bytes } = this.#bounds
    const entry = name
    if (++this.#entries > archive_entries_max) throw new Broken("entries_max", { entry, max: archive_entries_max })
    if (DEVICES.has(type)) throw new Broken("device", { entry })
    if (!ENTRY_TYPES.has(type)) throw new Broken("type", { entry })
    // Only files have content. A reader would wait for the bytes of other types, or skip something hidden in them.
    if (size > 0 && !FILE_TYPES.has(type)) throw new Broken("format", { entry })
    const path = pathOf(name)
    this.#bytes += size
    if (this.#bytes > archive_unpacked_max_bytes)
      throw new Broken("unpacked_max", { entry, max: archive_unpacked_max_bytes })
    if (this.#links.isBehind(path)) throw new Broken("through_link", { entry })
    if (type === "symlink") this.#links.symbolic(path, name, linkname)
    else if (type === "link") this.#links.hard(path, name, linkname)
    else this.#links.drop(path)
    if (type !== "directory") this.#files++
  }

  async done(): Promise<ArchiveSize> {
    if (this.#entries === 0) throw new Broken("empty")
    await this.#links.check()
    return { files: this.#files, bytes: this.#bytes }
  }
}

/** The most bytes besides the files: headers, padding, and additions of tools. */
const OVERHEAD_BYTES = 33_554_432

/** Counts the unpacked bytes, whatever sizes the archive states. */
const counted = (max: number) =>
  async function* (chunks: AsyncIterable<Buffer>) {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > max + OVERHEAD_BYTES) throw new Broken("unpacked_max", { max })
      yield chunk
    }
  }

export const judgeArchive = async (
  body: Uint8Array,
  bounds: Bounds
): Promise<ArchiveSize | { readonly refused: Refusal }> => {
  const judge = new Judge(bounds)
  const reader = extract()
  reader.on("entry", (header, stream, next) => {
    // The stream fails with its reader, which has reported the reason.
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
    const parts = [
      createGunzip({ chunkSize: CHUNK_BYTES }),
      counted(bounds.archive_unpacked_max_bytes),
      walked,
      reader as unknown as Writable
    ] as const
    await pipeline(Readable.from([body]), ...parts, { signal: AbortSignal.timeout(JUDGE_MAX_MS) })
    return await judge.done()
  } catch (error) {
    return { refused: (error instanceof Broken ? error : new Broken("format")).refusal }
  }
}
