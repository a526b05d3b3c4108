/**
 * Text of programs and strangers, as a page may show it: what drives terminals or turns the direction of text stands there
 * by its number, and it has a bound. It is still to be escaped, as everything is (html.ts).
 */
import { legible } from "../../schemas/legible.ts"
import { harmless } from "../../schemas/printed.ts"

/** In code points, before what is not seen is written out. */
export const printed = (text: string, maxChars: number): string => {
  // Of text that is far too long, no more is looked at than could be shown.
  const chars = Array.from(text.slice(0, 2 * maxChars + 2))
  const isLong = chars.length > maxChars
  return legible(harmless((isLong ? chars.slice(0, maxChars) : chars).join(""))) + (isLong ? "…" : "")
}
