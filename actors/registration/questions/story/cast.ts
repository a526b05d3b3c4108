/**
 * The people of a story. Each has a name, and some have a mark: something that is told once, and by which the story
 * refers to them later.
 */
import type { Bank, Relation } from "../bank/bank.ts"
import { NAMES, WOMEN } from "../language/names.ts"
import { withArticles } from "../language/text.ts"
import type { Random } from "../random.ts"

export interface Person {
  readonly name: string
  readonly woman: boolean
  /** Null if the person is known by name only. */
  readonly mark: Mark | null
}

export interface Mark {
  readonly relation: Relation
  readonly key: string
  readonly value: string
}

export interface Cast {
  readonly people: ReadonlyArray<Person>
  /** Names of people outside of the story. */
  readonly strangers: ReadonlyArray<string>
}

const STRANGERS = 3
const NAMED_OF_TEN = 6

const VALUES = new WeakMap<Relation, number>()

/** The number of people that a relation can distinguish. */
function valuesOf(relation: Relation): number {
  const known = VALUES.get(relation) ?? new Set(relation.pairs.map(([, value]) => value)).size
  VALUES.set(relation, known)
  return known
}

/** Draws people. All marks are of one relation, so that people differ only in its values. */
export function castOf(random: Random, bank: Bank, size: number, marked: ReadonlyArray<number>): Cast {
  const names = random.sample(NAMES, size + STRANGERS)
  const relation = random.pick(bank.relations.filter((one) => valuesOf(one) >= marked.length))
  const values = new Set<string>()
  const marks = new Map<number, Mark>()
  while (marks.size < marked.length) {
    const [key, value] = random.pick(relation.pairs)
    if (values.has(value)) continue
    values.add(value)
    marks.set(marked[marks.size] as number, { relation, key, value })
  }
  const people = names
    .slice(0, size)
    .map((name, index) => ({ name, woman: WOMEN.includes(name), mark: marks.get(index) ?? null }))
  return { people, strangers: names.slice(size) }
}

const intro = (random: Random, { relation, key }: Mark): string =>
  withArticles(random.pick(relation.intro).replace("{}", key))

export function introduced(random: Random, person: Person, mark: Mark): string {
  const told = intro(random, mark)
  return random.pick([
    `${person.name} ${told}`,
    `${person.name} ${told}`,
    `it is ${person.name} who ${told}`,
    `someone ${told}, namely ${person.name}`,
    `know that ${person.name} ${told}`
  ])
}

/** A sentence that exchanges two people's marks and corrects this at once. */
export function exchanged(random: Random, one: Person, other: Person, mark: Mark, otherMark: Mark): string {
  const wrong = `${one.name} ${intro(random, otherMark)} and ${other.name} ${intro(random, mark)}`
  return random.pick([
    `${wrong} – no, exactly the other way round`,
    `${wrong}; sorry, I have confused these two, so swap them`,
    `I wrote down that ${wrong}, but it is the reverse: each has what I gave to the other`,
    `it would be wrong to say that ${wrong}: exchange the names and it is right`
  ])
}

/** For example "the one who drew an animal that barks". */
export function described(random: Random, { name, mark, woman }: Person): string {
  if (mark === null) return name
  const head = random.pick(["the one", "the person", "the one", woman ? "the woman" : "the man"])
  return `${head} ${random.pick(mark.relation.ref).replace("{}", mark.value)}`
}

export const mentioned = (random: Random, person: Person): string =>
  random.int(1, 10) <= NAMED_OF_TEN ? person.name : described(random, person)

export const pronoun = ({ woman }: Person): string => (woman ? "she" : "he")
