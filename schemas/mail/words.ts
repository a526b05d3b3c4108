/** The words by which a mail can be searched: whole words in lower case, of any script. */

import { normalForm } from "../legible.ts"

const WORD = /[\p{L}\p{N}]+/gu
const WORD_MAX_CHARS = 40

/** The distinct words, at most `max`, in the order of the text. */
export const wordsOf = (text: string, max: number): ReadonlyArray<string> => {
  const words = new Set<string>()
  for (const [word] of normalForm(text, "NFKC").toLowerCase().matchAll(WORD)) {
    if (words.size >= max) break
    words.add(word.slice(0, WORD_MAX_CHARS))
  }
  return [...words]
}
