/**
 * Counts of common sense that are added to what a story comes to.
 *
 * - A program that follows the whole story is wrong all the same without two counts that no question tells. A guess at
 *   both is right in some three of a hundred questions, so few verdicts teach it anything.
 * - The counts are drawn without a look at the story. Nothing in a prompt tells how large one of them is.
 */
import type { Bank, Measure } from "../bank/bank.ts"
import type { Random } from "../random.ts"
import type { Scale } from "./world.ts"

export interface Addition {
  readonly measures: readonly [Measure, Measure]
  readonly scale: Scale
  readonly text: string
}

/** `{it}` is what the story's end is counted as. */
const OF_NUMBERS = [
  "To {it}, add the number of {a}; then add the number of {b}.",
  "Add two counts to {it}: the number of {a}, and the number of {b}.",
  "The answer is {it} plus the number of {a} plus the number of {b}.",
  "Raise {it} by as many as there are {a}, and then by as many as there are {b}."
]
const OF_MINUTES = [
  "To {it}, add as many minutes as there are {a}; then add as many as there are {b}.",
  "Make {it} later twice: by as many minutes as there are {a}, and by as many as there are {b}.",
  "The answer is {it}, later by as many minutes as there are {a}, and again by as many as there are {b}."
]

export function additionOf(random: Random, { measures }: Pick<Bank, "measures">, scale: Scale): Addition {
  const [one, other] = random.sample(measures, 2) as [Measure, Measure]
  const text = random
    .pick(scale.unit === "minutes" ? OF_MINUTES : OF_NUMBERS)
    .replace("{it}", scale.name)
    .replace("{a}", one.phrase)
    .replace("{b}", other.phrase)
  return { measures: [one, other], scale, text }
}

/** The end of a story with both counts; null if there is no such answer. */
export function raised(end: string, { measures: [one, other], scale }: Addition): string | null {
  const counted = scale.of(end)
  return counted === null ? null : scale.at(counted + one.n + other.n)
}
