/**
 * Text that can be set, and brought into a normal form: of a hundred thousand marks on one letter the order is found out
 * in quadratic time, which takes a browser half a minute and a process of ours seconds.
 */

/** No language puts more on one letter, by far. In UTF-16 units. */
const MARKS_ON_A_LETTER_MAX = 64

/** Without the marks that are too many. */
export const legible = (text: string): string =>
  text.replaceAll(/\p{M}{2,}/gu, (marks) =>
    marks.length <= MARKS_ON_A_LETTER_MAX ? marks : marks.slice(0, MARKS_ON_A_LETTER_MAX).toWellFormed()
  )
