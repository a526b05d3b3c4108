const EXCERPT_CHARS = 280

/** The beginning of a message's text, in one line. */
export const mailExcerpt = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return Array.from(line.slice(0, 2 * EXCERPT_CHARS))
    .slice(0, EXCERPT_CHARS)
    .join("")
}
