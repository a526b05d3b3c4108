import { toCardinal } from "n2words/en-US"

const LARGEST_NUMBER_IN_WORDS = 9999
const FIRST_PAIRED_HUNDRED = 1100

let table: ReadonlyMap<string, number> | null = null

/** Built when it is first needed, with about 19,000 short keys. */
function numberTable(): ReadonlyMap<string, number> {
  if (table !== null) return table
  const built = new Map<string, number>()
  for (let n = 0; n <= LARGEST_NUMBER_IN_WORDS; n++) {
    built.set(toCardinal(n).replaceAll("-", " "), n)
    if (n >= FIRST_PAIRED_HUNDRED) built.set(toCardinal(n, { hundredPairing: true }).replaceAll("-", " "), n)
  }
  table = built
  return built
}

/**
 * The value of English number words, or null. Expects lower-case words without punctuation. "and" between other words
 * is ignored; "a hundred" and "a thousand" mean one of them.
 */
export function numberFromWords(words: ReadonlyArray<string>): number | null {
  const kept = words.filter((word, i) => word !== "and" || i === 0 || i === words.length - 1)
  if (kept[0] === "a" && (kept[1] === "hundred" || kept[1] === "thousand")) kept[0] = "one"
  return numberTable().get(kept.join(" ")) ?? null
}
