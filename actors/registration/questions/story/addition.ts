/**
 * Adds two counts of common sense to the result of a story.
 *
 * - No question states these counts. A program that follows the whole story is still wrong without them. A guess at
 *   both is right for about three of a hundred questions, so a program learns little from few verdicts.
 * - The counts are drawn independently of the story, and the prompt does not reveal their size.
 */
import type { Bank, Measure } from "../bank/bank.ts"
import type { Random } from "../random.ts"
import type { Scale } from "./world.ts"

export interface Addition {
  readonly measures: readonly [Measure, Measure]
  readonly scale: Scale
  readonly text: string
}

/** `{it}` is replaced by the name of the number that the story's result stands for. */
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

/** The result of a story plus both counts. Null if there is no such answer. */
export function raised(end: string, { measures: [one, other], scale }: Addition): string | null {
  const counted = scale.of(end)
  return counted === null ? null : scale.at(counted + one.n + other.n)
}
