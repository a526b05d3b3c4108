/**
 * The bank of common sense: facts that everybody knows and that no question states.
 *
 * - A fact is undisputed for any reader anywhere. Disputable ones are listed as unsure and never asked.
 * - A matrix says for each item which of its properties it has. A relation pairs the text that introduces a person with
 *   a description that fits it. A measure is a count that everybody knows.
 * - A deployment's own records (`own.ts`) are in the same lists as the public ones of this folder.
 */
import type { AnswerKind, FormatRule } from "../question.ts"

export interface Property {
  readonly name: string
  /** Verb phrases that follow "something that" and state the property. Those of `not` state its absence. */
  readonly is: ReadonlyArray<string>
  readonly not: ReadonlyArray<string>
  readonly yes: ReadonlySet<string>
  readonly unsure: ReadonlySet<string>
}

export interface Matrix {
  readonly name: string
  readonly items: ReadonlyArray<string>
  readonly properties: ReadonlyArray<Property>
}

export interface Relation {
  readonly name: string
  /** Verb phrases in the past or present that follow a name; `{}` is the key. */
  readonly intro: ReadonlyArray<string>
  /** Phrases that follow "the one"; `{}` is the value. */
  readonly ref: ReadonlyArray<string>
  readonly pairs: ReadonlyArray<readonly [key: string, value: string]>
}

/** A phrase that can follow "there are", and the number of these things. */
export interface Measure {
  readonly n: number
  readonly phrase: string
}

/** A complete question that a deployment wrote. */
export interface OwnQuestion {
  readonly prompt: string
  readonly answer: string
  readonly kind: AnswerKind
  readonly format: FormatRule | null
}

/**
 * The slots in a deployment's own texts around clauses.
 *
 * - `{c}` is a clause and `{p}` a person. `{w}` and `{r}` are the wrong and the right value; in a contrast they are
 *   clauses.
 * - In a selection `{k}` is the claim; `{y}` holds if the claim is true, and `{n}` if it is false. In a comparison
 *   (`like`, `unlike`) `{n}` is the number.
 * - `{f}` and `{t}` are the signs before and after a part of the story.
 */
export const REMARK_SLOTS = {
  so: ["{c}"],
  "not so": ["{c}"],
  says: ["{p}", "{c}"],
  liar: ["{p}"],
  honest: ["{p}"],
  contrast: ["{r}", "{w}"],
  instead: ["{r}", "{w}"],
  kept: ["{r}", "{w}"],
  forget: [],
  aside: [],
  undone: [],
  again: [],
  restated: ["{c}"],
  denied: ["{c}"],
  selection: ["{k}", "{n}", "{y}"],
  like: ["{n}", "{p}"],
  unlike: ["{n}", "{p}"],
  sign: [],
  between: ["{f}", "{t}"],
  within: ["{f}", "{t}"]
} as const
export type RemarkKind = keyof typeof REMARK_SLOTS

/** Pairs of remarks with opposite meanings. A program that counts words must not be able to tell which is which. */
export const REMARK_TWINS: ReadonlyArray<readonly [RemarkKind, RemarkKind]> = [
  ["so", "not so"],
  ["liar", "honest"],
  ["instead", "kept"],
  ["forget", "aside"],
  ["undone", "again"],
  ["restated", "denied"],
  ["like", "unlike"],
  ["between", "within"]
]

const OF_ONE = ["{p}", "{s}"]
const ON_A_RING = ["{l}", "{p}", "{s}"]

/**
 * The slots of texts that begin a story or ask its question: `{p}`, `{a}` and `{b}` are people, `{s}` is the start,
 * `{l}` a list of names, `{g}` the goods, `{i}` a card, `{n}` places of a shelf, `{w}` a property.
 */
export const TELLING_SLOTS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "holdings start": OF_ONE,
  "purse start": OF_ONE,
  "boat start": OF_ONE,
  "lift start": OF_ONE,
  "pages start": OF_ONE,
  "degrees start": OF_ONE,
  "tank start": OF_ONE,
  "cart start": OF_ONE,
  "points start": OF_ONE,
  "years start": OF_ONE,
  "road start": OF_ONE,
  "appointment start": OF_ONE,
  "meeting start": OF_ONE,
  "calendar start": OF_ONE,
  "month start": OF_ONE,
  "board start": ON_A_RING,
  "tour start": ON_A_RING,
  "wheel start": ON_A_RING,
  "alphabet start": OF_ONE,
  "shelf-row start": ["{l}"],
  "card-number start": ["{l}", "{s}"],
  "stickers start": ["{l}", "{s}"],
  "holdings question": ["{g}", "{p}"],
  "gap question": ["{a}", "{b}", "{g}"],
  "together question": ["{a}", "{b}", "{g}"],
  "purse question": ["{p}"],
  "boat question": ["{p}"],
  "lift question": ["{p}"],
  "pages question": ["{p}"],
  "degrees question": ["{p}"],
  "tank question": ["{p}"],
  "cart question": ["{p}"],
  "points question": ["{p}"],
  "years question": ["{p}"],
  "road question": ["{p}"],
  "appointment question": ["{p}"],
  "meeting question": ["{p}"],
  "calendar question": ["{p}"],
  "month question": ["{p}"],
  "board question": ["{p}"],
  "tour question": ["{p}"],
  "wheel question": ["{p}"],
  "alphabet question": ["{p}"],
  "shelf-row question": ["{p}"],
  "shelf-part question": ["{n}", "{p}"],
  "card-number question": ["{i}", "{p}"],
  "card-total question": ["{p}"],
  "stickers question": ["{p}", "{w}"],
  "legs question": ["{p}"]
}

/**
 * The key of an act: all of its English frames. One frame would not be enough, because two themes may share it with
 * different meanings.
 */
export const wordingKey = (english: ReadonlyArray<string>): string => english.join("\n")

/** A deployment's own texts. If it has texts of a kind, the public ones are not used. */
interface Wording {
  readonly clauses: ReadonlyMap<string, ReadonlyArray<string>>
  readonly remarks: ReadonlyMap<RemarkKind, ReadonlyArray<string>>
  /** Texts by the names of `TELLING_SLOTS`. */
  readonly tellings: ReadonlyMap<string, ReadonlyArray<string>>
}

export type FactKind = "matrices" | "relations" | "measures"

export interface Bank {
  readonly wording: Wording
  /** The kinds of facts that come from the deployment alone. */
  readonly own: ReadonlySet<FactKind>
  readonly matrices: ReadonlyArray<Matrix>
  readonly relations: ReadonlyArray<Relation>
  readonly measures: ReadonlyArray<Measure>
  readonly questions: ReadonlyArray<OwnQuestion>
}

const words = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

/** Parses pairs of the form "key=value", separated by semicolons. */
export const pairs = (text: string): ReadonlyArray<readonly [string, string]> =>
  text
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [key = "", value = ""] = pair.split("=").map((side) => side.trim())
      if (key === "" || value === "") throw new Error(`bank: ${pair} is no pair`)
      return [key, value] as const
    })

interface PropertyText {
  readonly is: string
  readonly not: string
  readonly yes: string
  readonly unsure?: string
}

/** Makes a matrix. Phrases are separated by bars. An item in neither list of a property does not have it. */
export function matrix(name: string, items: string, properties: Readonly<Record<string, PropertyText>>): Matrix {
  const all = words(items)
  const known = new Set(all)
  const listed = (text: string): ReadonlySet<string> => {
    const set = new Set(words(text))
    for (const item of set) if (!known.has(item)) throw new Error(`bank: ${item} is not in ${name}`)
    return set
  }
  return {
    name,
    items: all,
    properties: Object.entries(properties).map(([property, { is, not, yes, unsure = "" }]) => ({
      name: property,
      is: is.split("|"),
      not: not.split("|"),
      yes: listed(yes),
      unsure: listed(unsure)
    }))
  }
}

export function relation(name: string, intro: string, ref: string, text: string): Relation {
  return { name, intro: intro.split("|"), ref: ref.split("|"), pairs: pairs(text) }
}

export function factsOf({ matrices, relations, measures }: Bank): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { name, items, properties } of matrices) {
    for (const property of properties) counts.set(`${name}: ${property.name}`, items.length - property.unsure.size)
  }
  for (const { name, pairs: list } of relations) counts.set(name, list.length)
  counts.set("measures", measures.length)
  return counts
}
