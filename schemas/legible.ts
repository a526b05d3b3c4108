/**
 * Text that can be laid out and normalized. Sorting a hundred thousand marks on one letter takes quadratic time: half a
 * minute in a browser, and seconds in a process of ours.
 */

/** Far more than any language puts on one letter. In UTF-16 units. */
const MARKS_ON_A_LETTER_MAX = 64

const shortened = (marks: string): string =>
  marks.length <= MARKS_ON_A_LETTER_MAX ? marks : marks.slice(0, MARKS_ON_A_LETTER_MAX).toWellFormed()

/** Without the marks that are too many. */
export const legible = (text: string): string => text.replaceAll(/\p{M}{2,}/gu, shortened)

/**
 * The normal form of a text from a stranger, in linear time. Drops the marks that are too many on one letter. The two
 * half-width marks of Japanese are letters as they are written, and marks in a compatible form.
 */
export const normalForm = (text: string, form: "NFC" | "NFKC" | "NFKD"): string =>
  text.replaceAll(/[\p{M}\uff9e\uff9f]{2,}/gu, shortened).normalize(form)
