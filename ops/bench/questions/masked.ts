/**
 * Stories as a program meets them whose author has solved all of reading but the meaning of private words.
 *
 * A masked bank has a mark in the place of every text that a deployment wrote. The solver gets a story with these marks,
 * and with it what a perfect parser of the public source would find: where each text begins and ends, which people and
 * numbers stand in it, and in what order things are said. A mark says which text it is and never what that text means.
 * Real prompts give a program less: no marks, slips of the pen, and texts that run into each other.
 */
import {
  type Bank,
  type Matrix,
  type Relation,
  TELLING_SLOTS
} from "../../../actors/registration/questions/bank/bank.ts"

const SLOT = /\{[a-z]\}/g
const BETWEEN = " ¦ "

/** A text in which only its slots, in their order, are left. */
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

/** A masked text, with what stands in its slots. */
export interface Marked {
  /** Its kind (`c`, `r`, `t`, `k`, `v`, `m`, `w`, `i`) and the rest of its name. */
  readonly kind: string
  readonly id: string
  /** Without what is marked inside. */
  readonly text: string
  readonly inside: ReadonlyArray<Marked>
}

/** The marks of a story, in order; those in slots of another stand inside it. */
export function marksOf(story: string): ReadonlyArray<Marked> {
  const stack: Array<{ id: string; text: string; inside: Array<Marked> }> = [{ id: "", text: "", inside: [] }]
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

/** All marks of a kind within others, the outermost first. */
export const within = (marks: ReadonlyArray<Marked>, kind: string): ReadonlyArray<Marked> =>
  marks.flatMap((mark) => [...(mark.kind === kind ? [mark] : []), ...within(mark.inside, kind)])
