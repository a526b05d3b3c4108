/**
 * Finds faults of a bank of own texts without reading them: grammar that breaks for some fillings, repeated texts, and
 * words that reveal what only the meaning should.
 *
 * One check takes the texts of two acts. A program that has seen all of them except one guesses from its words to which
 * act it belongs. If the guesses are right too often, the words reveal the act. Texts in pairs with the same words and
 * opposite meanings do not.
 */
import {
  type Bank,
  REMARK_SLOTS,
  REMARK_TWINS,
  type RemarkKind
} from "../../actors/registration/questions/bank/bank.ts"
import { ACTS_TOLD } from "../../actors/registration/questions/bank/wanted.ts"

/** The highest share of two acts' texts that may be recognized by their words. */
const TOLD_APART_MAX = 0.65
/** The least number of texts in a list whose words are counted. */
const TEXTS_MIN = 6
const WORDS_NAMED = 5
const SMOOTHING = 0.5

/** `name`: the list's name in the output of `hub questions check`. */
interface ListedTexts {
  readonly name: string
  readonly texts: ReadonlyArray<string>
}

const clausesOf = ({ wording }: Bank): ReadonlyArray<ListedTexts & { readonly family: string; readonly act: string }> =>
  [...ACTS_TOLD].map(([key, { family, act }]) => ({
    family,
    act,
    name: `clause ${family} ${act}`,
    texts: wording.clauses.get(key) ?? []
  }))

const remarkOf = ({ wording }: Bank, kind: RemarkKind): ListedTexts => ({
  name: `remark ${kind}`,
  texts: wording.remarks.get(kind) ?? []
})

const GRAMMAR: ReadonlyArray<{ readonly found: RegExp; readonly problem: string }> = [
  { found: /\{[poab]\}'s/, problem: 'a description takes no \'s: write "of {p}"' },
  { found: /\{w\}'s/, problem: "a word in quotation marks takes no 's" },
  {
    found: /\{q\} (?:was|were|has|have|is|are)\b/,
    problem: "{q} may be one or many: no verb may agree with it"
  },
  { found: /\b(?:he|she|him|his|her|hers|himself|herself)\b/, problem: "{p} may be a woman or a man" }
]

const tellingsOf = ({ wording }: Bank): ReadonlyArray<ListedTexts> =>
  [...wording.tellings].map(([telling, texts]) => ({ name: `telling ${telling}`, texts }))

const grammarOf = ({ name, texts }: ListedTexts): ReadonlyArray<string> =>
  texts.flatMap((text) =>
    GRAMMAR.filter(({ found }) => found.test(text)).map(({ problem }) => `${name}: ${JSON.stringify(text)}: ${problem}`)
  )

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .replace(/\{\w\}/g, " ")
      .match(/\p{L}+/gu) ?? []
  )

const holding = (texts: ReadonlyArray<ReadonlySet<string>>, word: string): number =>
  texts.filter((words) => words.has(word)).length

/** The share of texts whose act a word counter guesses, with each text left out of its own counts. */
export function separability(one: ReadonlyArray<string>, other: ReadonlyArray<string>): number {
  const sides = [one.map(wordsOf), other.map(wordsOf)] as const
  let right = 0
  for (const [side, texts] of sides.entries()) {
    for (const words of texts) {
      const own = texts.filter((text) => text !== words)
      const others = sides[1 - side] ?? []
      const sum = [...words].reduce((score, word) => {
        const mine = (holding(own, word) + SMOOTHING) / (own.length + 1)
        const theirs = (holding(others, word) + SMOOTHING) / (others.length + 1)
        return score + Math.log(mine / theirs)
      }, 0)
      right += sum > 1e-9 ? 1 : sum < -1e-9 ? 0 : 0.5
    }
  }
  return right / (one.length + other.length)
}

const telling = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [left, right] = [one.map(wordsOf), other.map(wordsOf)]
  const difference = (word: string): number => Math.abs(holding(left, word) - holding(right, word))
  return [...new Set([...left, ...right].flatMap((words) => [...words]))]
    .filter((word) => difference(word) > 1)
    .toSorted((word, next) => difference(next) - difference(word))
    .slice(0, WORDS_NAMED)
}

const leakOf = (one: ListedTexts, other: ListedTexts): ReadonlyArray<string> => {
  if (Math.min(one.texts.length, other.texts.length) < TEXTS_MIN) return []
  const share = separability(one.texts, other.texts)
  if (share <= TOLD_APART_MAX) return []
  return [
    `${one.name} and ${other.name}: words alone tell ${Math.round(100 * share)} % of the texts apart ` +
      `(${telling(one.texts, other.texts).join(", ")}): write twins`
  ]
}

/** Checks that no text occurs twice, in one list or in two. */
const repeatedIn = (lists: ReadonlyArray<ListedTexts>): ReadonlyArray<string> => {
  const known = new Map<string, string>()
  return lists.flatMap(({ name, texts }) =>
    texts.flatMap((text) => {
      const plain = text.toLowerCase()
      const before = known.get(plain)
      known.set(plain, name)
      return before === undefined ? [] : [`${name}: ${JSON.stringify(text)} stands in ${before} as well`]
    })
  )
}

export function faultsOf(bank: Bank): ReadonlyArray<string> {
  const clauses = clausesOf(bank)
  const remarks = Object.keys(REMARK_SLOTS).map((kind) => remarkOf(bank, kind as RemarkKind))
  const ups = clauses.filter(({ act }) => act === "up")
  return [
    ...[...clauses, ...tellingsOf(bank)].flatMap(grammarOf),
    ...repeatedIn([...clauses, ...remarks]),
    ...ups.flatMap((up) => {
      const down = clauses.find(({ family, act }) => family === up.family && act === "down")
      return down === undefined ? [] : leakOf(up, down)
    }),
    ...REMARK_TWINS.flatMap(([one, other]) => leakOf(remarkOf(bank, one), remarkOf(bank, other)))
  ]
}
