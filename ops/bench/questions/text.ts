/** How the solver reads characters and words: look-alikes folded, words of the source's own vocabulary put right. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { CARDINAL, LANGUAGES } from "../../../actors/registration/questions/language/foreign.ts"
import { NAMES } from "../../../actors/registration/questions/language/names.ts"
import { toCardinal } from "n2words/en-US"

const SOURCE = join(import.meta.dirname, "..", "..", "..", "actors", "registration", "questions")
const LATIN: Readonly<Record<string, string>> = { а: "a", е: "e", о: "o", с: "c", р: "p", х: "x", і: "i", ѕ: "s", у: "y", Е: "E", А: "A" }

/** Every file of the product's questions, as text. */
export const sourceText = (folder = SOURCE): string =>
  readdirSync(folder).map((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? sourceText(path) : readFileSync(path, "utf8")
  }).join("\n")

const LARGEST = 130
export const NUMBERS: ReadonlyMap<string, number> = new Map(
  Array.from({ length: LARGEST }, (_, n) => n).flatMap((n) => [[toCardinal(n), n] as const, ...LANGUAGES.map((language) => [CARDINAL[language](n), n] as const)])
)

const vocabulary = new Set((`${sourceText()} ${[...NUMBERS.keys()].join(" ")} ${NAMES.join(" ")}`).toLowerCase().match(/[\p{L}]+/gu) ?? [])
const byLength = Map.groupBy(vocabulary, (word) => word.length)

/** Whether one swap, insertion, deletion or replacement makes one of the other. */
export const near = (one: string, other: string): boolean => {
  if (one === other) return true
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (long.length - short.length > 1) return false
  let start = 0
  while (start < short.length && short[start] === long[start]) start++
  let end = 0
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end++
  const restShort = short.slice(start, short.length - end)
  const restLong = long.slice(start, long.length - end)
  return restLong.length <= 1 || (restShort.length === 2 && restLong.length === 2 && restShort[0] === restLong[1] && restShort[1] === restLong[0])
}

const bones = (word: string): string => word.replace(/(.)\1+/g, "$1").replace(/(?<=.)[aeiou](?=.)/g, "")
const byBones = Map.groupBy(vocabulary, bones)

const corrected = new Map<string, string>()
const correct = (word: string): string => {
  if (vocabulary.has(word) || word.length < 4) return word
  const known = corrected.get(word)
  if (known !== undefined) return known
  const found = [0, -1, 1].flatMap((by) => byLength.get(word.length + by) ?? []).find((candidate) => near(candidate, word)) ?? byBones.get(bones(word))?.[0] ?? word
  corrected.set(word, found)
  return found
}

/** Lower case, plain letters, known words, words joined that were split. */
export const cleaned = (prompt: string): string => {
  const plain = [...prompt.replace(/ – er – |, hm,| \(let me see\)|; we+l+,|\. u+m,| – how shall i put it –/gi, " ")].map((letter) => LATIN[letter] ?? letter).join("").toLowerCase()
  const joined = plain.replace(/(\p{L}+) (\p{L}+)/gu, (both, one: string, other: string) =>
    (!vocabulary.has(one) || !vocabulary.has(other)) && vocabulary.has(one + other) ? one + other : both)
  return joined.replace(/\p{L}+/gu, correct)
}
