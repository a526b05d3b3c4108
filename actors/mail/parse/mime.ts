/**
 * `postal-mime` with three changes and one check. The library has no hooks for them, so methods of each parser object
 * are replaced. The exact version in package.json guarantees that these methods exist.
 *
 * Invariants
 *  - An attachment has exactly the sender's bytes after transfer decoding. The library alone would change its line ends
 *    and add one.
 *  - The charset of text is decided by its bytes if the label cannot be right. Valid UTF-8 with multi-byte characters
 *    is UTF-8, and text with escapes of ISO-2022-JP is ISO-2022-JP. This includes encoded words in headers.
 *  - The lines of text are those of the sender. `format=flowed` is ignored, because it joins lines that end with a
 *    blank, and a relaxed signature does not cover that blank (decision 0090).
 */
import PostalMime, { type Email, type PostalMimeOptions } from "postal-mime"
import { type Boundary, dependsOnBlanks } from "./blanks.ts"

interface Node {
  readonly depth: number
  readonly state: "header" | "body" | "finished"
  readonly content: ArrayBuffer | null
  readonly headers: ReadonlyArray<{ value: string }>
  readonly contentType: { readonly parsed: { readonly params: Record<string, string> } }
  readonly contentDisposition: { readonly parsed: { readonly params: Record<string, string> } }
  readonly contentTransferEncoding: { readonly encoding: string }
}

/** Internal methods that are replaced, and fields that the replacements read. The package does not declare them. */
interface Inside {
  readonly currentNode: Node
  readonly boundaries: ReadonlyArray<Boundary>
  readonly readPos: number
  readLine(): { readonly bytes: Uint8Array; readonly done: boolean }
  processLine(line: Uint8Array, isFinal: boolean): Promise<void>
  collectNode(node: Node, ...rest: ReadonlyArray<unknown>): Promise<void>
  isInlineTextNode(node: Node): boolean
  collectAttachment(node: Node, content: ArrayBuffer, ...rest: ReadonlyArray<unknown>): void
}

const [CR, LF, EQUALS, ESCAPE] = [0x0d, 0x0a, 0x3d, 0x1b]
/** The characters after an escape that begin Japanese text: `$@`, `$B` and `(J` (RFC 1468), and `(I`. */
const JAPANESE: ReadonlySet<number> = new Set([0x2440, 0x2442, 0x284a, 0x2849])

const hasHighByte = (bytes: Uint8Array): boolean => bytes.some((byte) => byte > 0x7f)

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const hasJapaneseEscapes = (bytes: Uint8Array): boolean => {
  for (let at = bytes.indexOf(ESCAPE); at >= 0; at = bytes.indexOf(ESCAPE, at + 1))
    if (JAPANESE.has(((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0))) return true
  return false
}

/** The charset that the bytes prove; `null` if their label may be right. */
const shownCharset = (bytes: Uint8Array): string | null => {
  if (hasHighByte(bytes)) return isUtf8(bytes) ? "utf-8" : null
  return hasJapaneseEscapes(bytes) ? "iso-2022-jp" : null
}

const HEX = /^[0-9a-f]{2}$/i

/** Decodes quoted-printable text: `=XX` is a byte, and `=` at the end of a line joins it with the next. */
const decodeQuotedPrintable = (bytes: Uint8Array): Uint8Array => {
  const out = new Uint8Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte !== EQUALS) {
      out[length++] = byte
      continue
    }
    const hex = String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0)
    if (HEX.test(hex)) {
      out[length++] = Number.parseInt(hex, 16)
      at += 2
    } else if (bytes[at + 1] === LF) at++
    else if (bytes[at + 1] === CR && bytes[at + 2] === LF) at += 2
    else if (at + 1 < bytes.length) out[length++] = byte
  }
  return out.subarray(0, length)
}

const ENCODED_WORD = /=\?([^?\s]{1,40})\?([bq])\?([^?\s]{0,1000})\?=/gi

const bytesOfWord = (encoding: string, text: string): Uint8Array =>
  encoding.toLowerCase() === "b"
    ? Buffer.from(text, "base64")
    : decodeQuotedPrintable(Buffer.from(text.replaceAll("_", " "), "latin1"))

/** Replaces the charset label of encoded words by the one that their bytes show. */
const relabelled = (header: string): string =>
  header.includes("=?")
    ? header.replaceAll(ENCODED_WORD, (word, label: string, encoding: string, text: string) => {
        const charset = shownCharset(bytesOfWord(encoding, text))
        return charset === null ? word : `=?${charset}${word.slice(2 + label.length)}`
      })
    : header

const relabelParameters = (params: Record<string, string>): void => {
  for (const name of ["filename", "name"]) if (params[name] !== undefined) params[name] = relabelled(params[name])
}

/** Offsets of a part's body in the message, from its first line to the end of its last. */
interface Range {
  readonly from: number
  to: number
}

/** Removes the last line break, which belongs to the boundary after it (RFC 2046 5.1.1). */
const withoutLineEnd = (bytes: Uint8Array): Uint8Array => {
  if (bytes.at(-1) !== LF) return bytes
  return bytes.subarray(0, bytes.at(-2) === CR ? -2 : -1)
}

const ownBuffer = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer

export interface Mime {
  readonly email: Email
  /** True if blanks that a relaxed signature does not cover decide how the body is read (blanks.ts). */
  readonly isDoubtful: boolean
}

/** Rejects if parts are nested too deep, or a header is too long. */
export const parseMime = async (raw: Uint8Array, options: PostalMimeOptions): Promise<Mime> => {
  const parser = new PostalMime(options)
  const inside = parser as unknown as Inside
  const { readLine, processLine, collectNode, isInlineTextNode, collectAttachment } = inside
  const bodies = new Map<Node, Range>()
  const beforeBoundary = new Set<Node>()
  let lineAt = 0
  let isDoubtful = false

  const exactBytes = (node: Node): Uint8Array | null => {
    const range = bodies.get(node)
    const { encoding } = node.contentTransferEncoding
    if (range === undefined || encoding.includes("base64")) return null
    const bytes = raw.subarray(range.from, range.to)
    const own = beforeBoundary.has(node) ? withoutLineEnd(bytes) : bytes
    return encoding.includes("quoted-printable") ? decodeQuotedPrintable(own) : own
  }

  Object.assign(inside, {
    readLine() {
      lineAt = inside.readPos
      return readLine.call(inside)
    },
    async processLine(line, isFinal) {
      const node = inside.currentNode
      const wasBody = node.state === "body"
      isDoubtful ||= dependsOnBlanks(line, {
        isPartHeader: node.state === "header" && node.depth > 0,
        isQuotedPrintable: wasBody && node.contentTransferEncoding.encoding.includes("quoted-printable"),
        boundaries: inside.boundaries
      })
      await processLine.call(inside, line, isFinal)
      if (!wasBody) return
      if (node !== inside.currentNode) beforeBoundary.add(node)
      else {
        const range = bodies.get(node) ?? { from: lineAt, to: lineAt }
        range.to = inside.readPos
        bodies.set(node, range)
      }
    },
    collectNode(node, ...rest) {
      for (const header of node.headers) header.value = relabelled(header.value)
      relabelParameters(node.contentDisposition.parsed.params)
      relabelParameters(node.contentType.parsed.params)
      return collectNode.call(inside, node, ...rest)
    },
    isInlineTextNode(node) {
      const isText = isInlineTextNode.call(inside, node)
      const charset = isText && node.content !== null ? shownCharset(new Uint8Array(node.content)) : null
      if (charset !== null) node.contentType.parsed.params["charset"] = charset
      delete node.contentType.parsed.params["format"]
      return isText
    },
    collectAttachment(node, content, ...rest) {
      const exact = exactBytes(node)
      collectAttachment.call(inside, node, exact === null ? content : ownBuffer(exact), ...rest)
    }
  } satisfies Pick<Inside, "readLine" | "processLine" | "collectNode" | "isInlineTextNode" | "collectAttachment">)
  const email = await parser.parse(raw)
  return { email, isDoubtful }
}
