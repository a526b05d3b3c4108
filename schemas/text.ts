/**
 * `text` without the mark that stands at its end, however often. A regular expression would try each run of it anew.
 */
export const withoutTrailing = (text: string, mark: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === mark) end--
  return text.slice(0, end)
}
