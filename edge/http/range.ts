/**
 * Ranges of bytes (RFC 9110, 14). One range is served. For several ranges, or another unit, the whole is served, as the
 * RFC allows.
 */

/** Both ends are inclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

export type Ranged =
  | { readonly kind: "whole" }
  | { readonly kind: "part"; readonly span: Span }
  /** No byte of the content is in the range. */
  | { readonly kind: "beyond" }

const WHOLE: Ranged = { kind: "whole" }
const BEYOND: Ranged = { kind: "beyond" }

/** A number may have any number of digits, because every number after the end means the same. */
const RANGE = /^bytes=(\d*)-(\d*)$/i

/** `size` must be above 0. */
export const rangeOf = (header: string | undefined, size: number): Ranged => {
  const found = RANGE.exec(header?.replaceAll(/[ \t]/g, "") ?? "")
  const [begin = "", end = ""] = found?.slice(1) ?? []
  if (begin === "" && end === "") return WHOLE
  if (begin === "") {
    const last = Number(end)
    return last === 0 ? BEYOND : { kind: "part", span: { from: Math.max(0, size - last), to: size - 1 } }
  }
  const from = Number(begin)
  const to = end === "" ? size - 1 : Number(end)
  if (to < from) return end === "" ? BEYOND : WHOLE
  return from >= size ? BEYOND : { kind: "part", span: { from, to: Math.min(to, size - 1) } }
}
