/**
 * A prompt as a lattice of words: at every place, which known words may stand there, at what cost, and where the next
 * begins. Slips of the pen keep a word's first and last letter, so few known words can be meant by what is written.
 */
const LATIN: Readonly<Record<string, string>> = {
  а: "a",
  е: "e",
  о: "o",
  с: "c",
  р: "p",
  х: "x",
  і: "i",
  ѕ: "s",
  у: "y",
  Е: "E",
  А: "A"
}
const TWO_SLIPS_FROM = 6
const JOINED_FROM = 6
const LENGTH_OFF = 3
const PAUSES = / – er – |, hm, ?| \(let me see\) ?|; we+l+, |\. u+m, | – how \S+(?: \S+)? i put it – /g

/** Words and numbers, lower case, with look-alike letters folded; all other characters only part them. */
export const tokens = (text: string): ReadonlyArray<string> => text.match(/\d+:\d+|\d+|\p{L}+/gu) ?? []

export const plain = (prompt: string): string =>
  [...prompt]
    .map((letter) => LATIN[letter] ?? letter)
    .join("")
    .toLowerCase()
    .replace(PAUSES, " ")
    .replace(/œ/g, "oe")

/** Edits between two words, a swap of neighbours being one; no more than `most` are told apart. */
const edits = (one: string, other: string, most: number): number => {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let older: Array<number> = []
  let old = Array.from({ length: other.length + 1 }, (_, j) => j)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      let least = Math.min((old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (old[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, (older[j - 2] ?? 0) + 1)
      row.push(least)
    }
    older = old
    old = row
  }
  return old[other.length] ?? most + 1
}

const ends = (word: string): string => `${word.charAt(0)}${word.at(-1) ?? ""}`
const bones = (word: string): string => word.replace(/(.)\1+/g, "$1").replace(/(?<=.)[aeiou](?=.)/g, "")

export interface Meant {
  readonly word: string
  readonly cost: number
}
export interface Edge extends Meant {
  readonly to: number
}
export type Lattice = ReadonlyArray<ReadonlyArray<Edge>>

/** What may be meant by a written word, for the words of a grammar. */
export class Vocabulary {
  readonly #known = new Set<string>()
  readonly #byEnds = new Map<string, Array<string>>()
  readonly #meant = new Map<string, ReadonlyArray<Meant>>()

  add(word: string): void {
    if (this.#known.has(word)) return
    this.#known.add(word)
    this.#byEnds.set(ends(word), [...(this.#byEnds.get(ends(word)) ?? []), word])
    this.#meant.clear()
  }

  meant(word: string): ReadonlyArray<Meant> {
    const before = this.#meant.get(word)
    if (before !== undefined) return before
    const found = this.#known.has(word) ? [{ word, cost: 0 }, ...this.#near(word)] : this.#near(word)
    this.#meant.set(word, found)
    return found
  }

  #near(word: string): ReadonlyArray<Meant> {
    if (word.length < 3 || /\d/.test(word)) return []
    return (this.#byEnds.get(ends(word)) ?? []).flatMap((other) => {
      const most = Math.max(word.length, other.length) >= TWO_SLIPS_FROM ? 2 : 1
      if (other === word || Math.abs(other.length - word.length) > LENGTH_OFF) return []
      const direct = edits(word, other, most)
      const cost =
        direct <= 1 ? 1 : bones(word) === bones(other) ? 1 : Math.min(direct, edits(bones(word), bones(other), 1) + 1)
      return cost <= most ? [{ word: other, cost }] : []
    })
  }

  lattice(words: ReadonlyArray<string>): Lattice {
    return words.map((word, at) => {
      const alone = this.meant(word).map((one) => ({ ...one, to: at + 1 }))
      const joined = [2, 3].flatMap((count) => {
        const one = words.slice(at, at + count).join("")
        if (at + count > words.length || one.length < JOINED_FROM - 1 || /\d/.test(one)) return []
        return this.meant(one).map(({ word: other, cost }) => ({ word: other, cost: cost + count - 1, to: at + count }))
      })
      return [...alone, ...joined]
    })
  }
}
