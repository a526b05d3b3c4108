/**
 * Stories as they look to a program that can read everything but the meaning of private words.
 *
 * A masked bank has a mark in place of every text that a deployment wrote. The solver gets a story with these marks,
 * and the result of a perfect parser of the public source. The parser finds where each text begins and ends, which
 * people and numbers it contains, and in what order things are said. A mark identifies a text and does not tell its
 * meaning. Real prompts give a program less: they have no marks, but typing errors and texts without clear boundaries.
 */
import {
  type Bank,
  type Matrix,
  type Relation,
  TELLING_SLOTS
} from "../../../actors/registration/questions/bank/bank.ts"

const SLOT = /\{[a-z]\}/g
const BETWEEN = " ¦ "

/** A text from which everything but its slots is removed. The slots keep their order. */
const mask = (id: string, text: string): string => `⟦${id} ${(text.match(SLOT) ?? []).join(BETWEEN)}⟧`

const maskedLists = <K>(
  lists: ReadonlyMap<K, ReadonlyArray<string>>,
  id: (key: K, list: number) => string
): ReadonlyMap<K, ReadonlyArray<string>> =>
  new Map([...lists].map(([key, texts], list) => [key, texts.map((text, n) => mask(`${id(key, list)}:${n}`, text))]))

const maskedRelation = (relation: Relation, index: number): Relation => {
  const values = [...new Set(relation.pairs.map(([, value]) => value))]
  return {
    ...relation,
    intro: ["knows {}"],
    ref: ["who knows {}"],
    pairs: relation.pairs.map(([, value], n) => [`⟦k:${index}:${n}⟧`, `⟦v:${index}:${values.indexOf(value)}⟧`])
  }
}

const maskedMatrix = ({ items, properties, ...matrix }: Matrix, index: number): Matrix => {
  const item = (name: string): string => `⟦i:${index}:${items.indexOf(name)}⟧`
  return {
    ...matrix,
    items: items.map(item),
    properties: properties.map((property, n) => ({
      ...property,
      is: [`⟦w:${index}:${n}:1⟧`],
      not: [`⟦w:${index}:${n}:0⟧`],
      yes: new Set([...property.yes].map(item)),
      unsure: new Set([...property.unsure].map(item))
    }))
  }
}

export const masked = (bank: Bank): Bank => ({
  ...bank,
  wording: {
    clauses: maskedLists(bank.wording.clauses, (_, list) => `c:${list}`),
    remarks: maskedLists(bank.wording.remarks, (kind) => `r:${kind.replace(" ", "-")}`),
    tellings: maskedLists(
      new Map(Object.keys(TELLING_SLOTS).map((name) => [name, bank.wording.tellings.get(name) ?? []])),
      (name) => `t:${name.replace(" ", "-")}`
    )
  },
  matrices: bank.matrices.map(maskedMatrix),
  relations: bank.relations.map(maskedRelation),
  measures: bank.measures.map(({ n }, index) => ({ n, phrase: `⟦m:${index}⟧` }))
})

/** A masked text with the content of its slots. */
export interface MarkedSlot {
  /** Its kind (`c`, `r`, `t`, `k`, `v`, `m`, `w`, `i`) and the rest of its name. */
  readonly kind: string
  readonly id: string
  /** The text without the content of inner marks. */
  readonly text: string
  readonly inside: ReadonlyArray<MarkedSlot>
}

/** The marks of a story in order. Marks in the slots of another mark are nested in it. */
export function marksOf(story: string): ReadonlyArray<MarkedSlot> {
  const stack: Array<{ id: string; text: string; inside: Array<MarkedSlot> }> = [{ id: "", text: "", inside: [] }]
  for (const part of story.split(/(⟦[^ ⟧]+ ?|⟧)/)) {
    if (part.startsWith("⟦")) stack.push({ id: part.slice(1).trim(), text: "", inside: [] })
    else if (part === "⟧") {
      const done = stack.pop()
      if (done !== undefined) stack.at(-1)?.inside.push({ kind: done.id.charAt(0), ...done })
    } else {
      const open = stack.at(-1)
      if (open !== undefined) open.text += part
    }
  }
  return stack[0]?.inside ?? []
}

/** All marks of a kind at any depth, the outermost first. */
export const within = (marks: ReadonlyArray<MarkedSlot>, kind: string): ReadonlyArray<MarkedSlot> =>
  marks.flatMap((mark) => [...(mark.kind === kind ? [mark] : []), ...within(mark.inside, kind)])
