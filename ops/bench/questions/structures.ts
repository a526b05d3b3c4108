/**
 * How many sentence structures there are: a count from the grammar, and drawn stories with all that varies by
 * vocabulary left out.
 *
 * The count is a lower bound, exact for the part of the grammar it looks at: the clause frames of every act that a
 * story of `BEATS` beats may use, the detours of one of them and the orders of the beats. Moods, ways to call people,
 * ways to say numbers, languages, openers, asides, pauses and the places of everything that is not a beat multiply it
 * further.
 */
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { FAMILIES } from "../../../actors/registration/questions/families.ts"
import { drafted } from "../../../actors/registration/questions/family.ts"
import { LANGUAGES } from "../../../actors/registration/questions/language/foreign.ts"
import { NAMES } from "../../../actors/registration/questions/language/names.ts"
import { DETOUR_COUNT } from "../../../actors/registration/questions/story/plan.ts"
import { randomFromSeed } from "../../../actors/registration/questions/random.ts"
import { seedOf } from "./measure.ts"
import { NUMBERS } from "./text.ts"

/** The fewest beats of a story. */
const BEATS = 5
const ORDERS = 120

export const structuresOf = (): ReadonlyMap<string, number> =>
  new Map(
    FAMILIES.map((family) => {
      const { acts } = family.world(randomFromSeed(seedOf(family.name, 0)), OUR_BANK)
      const clauses = acts.reduce(
        (sum, { english, foreign }) => sum + english.length + (foreign === null ? 0 : LANGUAGES.length),
        0
      )
      return [family.name, clauses ** BEATS * DETOUR_COUNT * ORDERS]
    })
  )

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
const numberWords = [...NUMBERS.keys()]
  .filter((word) => word.length > 2)
  .toSorted((a, b) => b.length - a.length)
  .map(escaped)
  .join("|")
const NUMBER = new RegExp(`(?<![\\p{L}-])(?:\\d+(?::\\d+)?|${numberWords})(?![\\p{L}-])`, "giu")
const NAME = new RegExp(`(?<!\\p{L})(?:${NAMES.join("|")})(?!\\p{L})`, "gu")

/** A story's words without noise, and without its names, numbers, nouns of the bank and what stands in quotes. */
export const skeletons = (count: number, label: string): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => {
    const family = FAMILIES[index % FAMILIES.length] ?? FAMILIES[0]
    if (family === undefined) throw new Error("no families")
    const { story, world, cast } = drafted(family, randomFromSeed(seedOf(label, index)), OUR_BANK)
    const marks = cast.people.flatMap(({ mark }) => (mark === null ? [] : [mark.key, mark.value]))
    const nouns = [
      ...marks,
      ...(world.candidates ?? []),
      ...world.things.flat(),
      world.noun.one,
      ...world.noun.many,
      ...OUR_BANK.measures.map(({ phrase }) => phrase)
    ]
    const noun = new RegExp(
      `(?<!\\p{L})(?:${nouns
        .toSorted((a, b) => b.length - a.length)
        .map(escaped)
        .join("|")})(?!\\p{L})`,
      "giu"
    )
    return `${family.name} ${story
      .replace(noun, "N")
      .replace(NAME, "P")
      .replace(/"[^"]*"/g, "Q")
      .replace(NUMBER, "#")}`
  })
