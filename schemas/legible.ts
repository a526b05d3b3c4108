/**
 * Limits the combining marks of a text. Sorting a hundred thousand marks on one letter takes quadratic time: half a
 * minute in a browser, and seconds in the service's processes.
 */

/** More marks than any language puts on one letter, in UTF-16 units. */
const MARKS_ON_A_LETTER_MAX = 64

const shortened = (marks: string): string =>
  marks.length <= MARKS_ON_A_LETTER_MAX ? marks : marks.slice(0, MARKS_ON_A_LETTER_MAX).toWellFormed()

/** The text without the marks beyond the limit. */
export const legible = (text: string): string => text.replaceAll(/\p{M}{2,}/gu, shortened)

/**
 * The normal form of a text from a stranger, in linear time. Marks beyond the limit are dropped. The pattern also names
 * the two half-width voicing marks of Japanese: Unicode calls them letters, but NFKC and NFKD make marks of them.
 */
export const normalForm = (text: string, form: "NFC" | "NFKC" | "NFKD"): string =>
  text.replaceAll(/[\p{M}\uff9e\uff9f]{2,}/gu, shortened).normalize(form)
