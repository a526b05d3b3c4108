/**
 * Removes all repetitions of `mark` at the end of `text`. A regular expression would take quadratic time for a text
 * with many marks inside.
 */
export const withoutTrailing = (text: string, mark: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === mark) end--
  return text.slice(0, end)
}
