/**
 * Makes one gzip stream (RFC 1952) from parts that are compressed separately. So a part that many readers get is
 * compressed once and kept.
 */
import { promisify } from "node:util"
import { constants, crc32, deflateRaw, gzip as gzipOf } from "node:zlib"

/** Keys do not compress, and names of members do at any level. */
const LEVEL = 3
const FLUSHED = { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH }
const HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)
/** The last block, which is empty. */
const LAST_BLOCK = Uint8Array.of(3, 0)
const TRAILER_BYTES = 8
const SIZE_MODULUS = 2 ** 32

const deflated = promisify<Uint8Array, typeof FLUSHED, Uint8Array>(deflateRaw)

const compressed = promisify<Uint8Array, { readonly level: number }, Uint8Array>(gzipOf)

/** Compresses one part as a complete gzip stream. */
export const gzip = (whole: Uint8Array): Promise<Uint8Array> => compressed(whole, { level: LEVEL })

/** The part, ended on a whole byte, so that another may follow. */
export const deflate = (part: Uint8Array): Promise<Uint8Array> => deflated(part, FLUSHED)

export interface Part {
  readonly bytes: Uint8Array
  /** The same data, deflated, if it exists already. */
  readonly deflated?: Uint8Array
}

export async function* gzipped(parts: AsyncIterable<Part>): AsyncGenerator<Uint8Array> {
  let sum = 0
  let size = 0
  yield HEAD
  for await (const part of parts) {
    sum = crc32(part.bytes, sum)
    size = (size + part.bytes.length) % SIZE_MODULUS
    yield part.deflated ?? (await deflate(part.bytes))
  }
  const end = Buffer.alloc(LAST_BLOCK.length + TRAILER_BYTES)
  end.set(LAST_BLOCK)
  end.writeUInt32LE(sum, LAST_BLOCK.length)
  end.writeUInt32LE(size, LAST_BLOCK.length + 4)
  yield end
}
