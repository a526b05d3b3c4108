/**
 * `text` without the mark at its end, even if that is repeated. A regular expression would try each run of the mark
 * again.
 */
export const withoutTrailing = (text: string, mark: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === mark) end--
  return text.slice(0, end)
}
