/**
 * Converts a text to one line: no line breaks, no control characters, and nothing that changes the direction of the
 * text after it.
 */
export const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, "")
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
