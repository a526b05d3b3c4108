/**
 * Finds lines of a message's body whose blanks decide how the body is parsed. A relaxed signature covers neither the
 * length of a run of blanks nor blanks at a line's end (RFC 6376 3.4.4), so anybody on the way may add them. Parsers
 * then read the lines differently, or lose the text below them. Pure.
 *
 * Blanks elsewhere do no harm: text and headers keep their meaning with an additional blank.
 */

/** An open multipart, as postal-mime lists it. */
export interface Boundary {
  readonly value: Uint8Array
}

export interface Where {
  /** True for a part's header. The message's own is checked in form.ts. */
  readonly isPartHeader: boolean
  readonly isQuotedPrintable: boolean
  readonly boundaries: ReadonlyArray<Boundary>
}

const [SPACE, TAB, DASH, EQUALS] = [0x20, 0x09, 0x2d, 0x3d]

const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB

/** The text as a relaxed signature covers it. */
const relaxed = (bytes: Uint8Array): string => {
  const text = Buffer.from(bytes)
    .toString("latin1")
    .replace(/[ \t]+/g, " ")
  return text.endsWith(" ") ? text.slice(0, -1) : text
}

/**
 * The boundary's lines as a relaxed signature covers them. Computed once for each boundary, because there may be many
 * lines.
 */
const delimiters = new WeakMap<Boundary, ReadonlyArray<string>>()

const delimitersOf = (boundary: Boundary): ReadonlyArray<string> => {
  const known = delimiters.get(boundary)
  if (known !== undefined) return known
  const made = ["", "--"].map((end) => relaxed(Buffer.concat([Buffer.from("--"), boundary.value, Buffer.from(end)])))
  delimiters.set(boundary, made)
  return made
}

/** True if a relaxed signature covers the line like a boundary's line, and the line or the boundary has blanks. */
const isPaddedBoundary = (line: Uint8Array, boundaries: ReadonlyArray<Boundary>): boolean => {
  if (boundaries.length === 0 || line[0] !== DASH || line[1] !== DASH) return false
  const text = relaxed(line)
  const hasBlanks = line.some(isBlank)
  return boundaries.some(
    (boundary) => delimitersOf(boundary).includes(text) && (hasBlanks || boundary.value.some(isBlank))
  )
}

export const dependsOnBlanks = (line: Uint8Array, { isPartHeader, isQuotedPrintable, boundaries }: Where): boolean => {
  if (isPaddedBoundary(line, boundaries)) return true
  if (!isBlank(line.at(-1)) || (!isPartHeader && !isQuotedPrintable)) return false
  const last = line.findLast((byte) => !isBlank(byte))
  // In a part's header, a line of blanks may have been its empty last line. In text, `=` and blanks may have been a
  // soft line break.
  return isPartHeader ? last === undefined : last === EQUALS
}
