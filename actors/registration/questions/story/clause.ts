/**
 * Puts one move of a story into words. `Telling` has everything this needs: the texts, the people, and the earlier
 * utterances.
 */
import { wordingKey } from "../bank/bank.ts"
import type { Bank, RemarkKind } from "../bank/bank.ts"
import { CARDINAL } from "../language/foreign.ts"
import type { Language } from "../language/foreign.ts"
import { aside } from "../language/aside.ts"
import { number } from "../language/quantity.ts"
import type { Speakers } from "./plan.ts"
import type { Act, Move, Teller, World } from "./world.ts"

const ASIDE_OF_TEN = 1

export interface Telling extends Teller {
  readonly bank: Bank
  readonly world: World
  readonly speakers: Speakers
  readonly signs: readonly [string, string]
  /** The language of each told move that was not told in English, by the move's id. */
  readonly languages: Map<number, Language>
  /** Moves that a later utterance refers to. They are told in English, so that the reader recognizes them. */
  readonly recalled: ReadonlySet<number>
  /**
   * The frame in which each recalled move was told, by id and act. Later utterances use the same verb, or the reader
   * could take it for another move.
   */
  readonly frames: Map<string, string>
}

export interface Manner {
  /** Replaces the name or description of the person who moves. */
  readonly who?: string
  readonly whom?: string
  /** The id of the told move that the clause refers to. */
  readonly of?: number
  /** True to mention no other people. */
  readonly quiet?: boolean
}

export const pick = <T>(items: ReadonlyArray<T>, index: number): T => items[index] as T

/**
 * Draws an onlooker. People whose words the story quotes are left out, because an onlooker's view must not look like a
 * quote.
 */
export function onlooker({ random, cast, speakers }: Telling): string {
  const people = cast.people.filter((_, index) => !speakers.all.includes(index)).map(({ name }) => name)
  return random.pick([...people, ...cast.strangers])
}

/** A deployment's own frames of an act. Empty if the public ones are used. */
export const ownFramesOf = ({ world, bank }: Telling, act: number): ReadonlyArray<string> =>
  bank.wording.clauses.get(wordingKey(pick(world.acts, act).english)) ?? []

/** A remark in a deployment's own words, or null if there is none and a public one is to be used. */
export function remark(
  { random, bank }: Telling,
  kind: RemarkKind,
  slots: Readonly<Record<string, () => string>>
): string | null {
  const own = bank.wording.remarks.get(kind) ?? []
  if (own.length === 0) return null
  // A slot of a name may have a possessive ending, but a description cannot.
  return random
    .pick(own)
    .replace(
      /\{(\w)\}('s)?/g,
      (_, slot: string, ending = "") => `${(slots[`${slot}${ending}`] ?? slots[slot])?.() ?? ""}${ending}`
    )
}

function frameOf(telling: Telling, act: number, { of }: Manner): string {
  const { random, recalled, frames, world } = telling
  const own = ownFramesOf(telling, act)
  const english = own.length === 0 ? pick(world.acts, act).english : own
  if (of === undefined || !recalled.has(of)) return random.pick(english)
  const known = frames.get(`${of} ${act}`)
  const frame = known ?? random.pick(english)
  frames.set(`${of} ${act}`, frame)
  return frame
}

export function clause(telling: Telling, { act, who, whom, n, what }: Move, manner: Manner = {}): string {
  const { random, world, cast } = telling
  const frame = frameOf(telling, act, manner)
  const filled = frame.replace(/\{(\w)\}('s)?/g, (_, slot: string, ending = "") => {
    if (ending !== "" && slot !== "q" && slot !== "w")
      return `${pick(cast.people, slot === "o" ? whom : who).name}${ending}`
    return `${of(slot)}${ending}`
  })
  function of(slot: string): string {
    if (slot === "p") return manner.who ?? telling.person(who)
    if (slot === "x") return manner.whom ?? manner.who ?? telling.person(who)
    if (slot === "o") return telling.person(whom)
    if (slot === "w") return random.pick(pick(world.things, what))
    return telling.count(n)
  }
  const gaps = filled.split("|").map((part) => part.trim())
  if (gaps.length === 1 || manner.quiet === true || random.int(1, 10) > ASIDE_OF_TEN) return gaps.join(" ")
  const at = random.int(1, gaps.length - 1)
  const said = aside(random, () => onlooker(telling), number(random, random.int(2, 30)))
  return `${gaps.slice(0, at).join(" ")}${said}${gaps.slice(at).join(" ")}`
}

export function foreignClause(
  { random, cast, world }: Telling,
  { who, whom, n, what }: Move,
  language: Language,
  { foreign }: Act
): string {
  return (foreign?.[language] ?? "").replace(/\{(\w)\}/g, (_, slot: string) => {
    if (slot === "p") return pick(cast.people, who).name
    if (slot === "o") return pick(cast.people, whom).name
    if (slot === "w") return random.pick(pick(world.things, what))
    if (slot === "N") return world.foreignNoun?.[language] ?? ""
    return CARDINAL[language](n)
  })
}
