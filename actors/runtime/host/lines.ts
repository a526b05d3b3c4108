/**
 * Splits a stream of bytes into lines. Pure: the same bytes give the same lines in any chunks, so that a journal of
 * chunks can be read back to the same ids (journal.ts).
 *
 * - A line longer than LINE_MAX_BYTES is split into several lines, between two characters.
 * - Bytes that are not valid UTF-8 become U+FFFD. Control characters are kept, because lines are only sent as JSON.
 */
export const LINE_MAX_BYTES = 8192

const NEWLINE = 0x0a
const RETURN = 0x0d
const NOTHING = Buffer.alloc(0)
/** The most bytes that a character has after its first. */
const FOLLOWING_MAX = 3

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

export interface Split {
  readonly count: number
  /** The last of these lines, at most `keep`. */
  readonly lines: ReadonlyArray<string>
}

const isFollowing = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** The end of the piece that begins at `start`. More than LINE_MAX_BYTES bytes follow from there. */
function cutAt(bytes: Uint8Array, start: number): number {
  const end = start + LINE_MAX_BYTES
  for (let at = end; at >= end - FOLLOWING_MAX; at--) if (!isFollowing(bytes[at])) return at
  return end
}

/** U+FFFD has more bytes than the bytes that it replaces. A text that becomes too long is cut at its end. */
function bounded(text: string): string {
  const encoded = Buffer.from(text)
  if (encoded.length <= LINE_MAX_BYTES) return text
  return decoder.decode(encoded.subarray(0, cutAt(encoded, 0)))
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length
  return bounded(decoder.decode(bytes.subarray(0, end)))
}

export class LineSplitter {
  private rest: Buffer

  constructor(rest: Uint8Array = NOTHING) {
    this.rest = Buffer.from(rest)
  }

  /** The bytes of the incomplete line, at most LINE_MAX_BYTES. */
  get pending(): Buffer {
    return this.rest
  }

  /** `keep`: the number of last lines to return. Earlier lines are only counted. */
  split(chunk: Uint8Array, keep: number): Split {
    const bytes = this.rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.rest, chunk])
    const ends: Array<readonly [start: number, end: number]> = []
    let start = 0
    while (start < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, start)
      const length = (newline === -1 ? bytes.length : newline) - start
      if (length > LINE_MAX_BYTES) {
        const end = cutAt(bytes, start)
        ends.push([start, end])
        start = end
      } else if (newline === -1) break
      else {
        ends.push([start, newline])
        start = newline + 1
      }
    }
    this.rest = Buffer.from(bytes.subarray(start))
    const lines = ends.slice(Math.max(0, ends.length - keep)).map(([from, to]) => textOf(bytes.subarray(from, to)))
    return { count: ends.length, lines }
  }

  flush(): Split {
    if (this.rest.length === 0) return { count: 0, lines: [] }
    const lines = [textOf(this.rest)]
    this.rest = NOTHING
    return { count: 1, lines }
  }
}
