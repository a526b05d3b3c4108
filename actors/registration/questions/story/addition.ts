/**
 * Counts of common sense that are added to a story's number at the end.
 *
 * - A program that follows the whole story is wrong all the same without two counts that no question tells. A guess at
 *   both is right in some three of a hundred questions, so few verdicts teach it anything.
 * - The counts are drawn without a look at the story. Nothing in a prompt tells how large one of them is.
 */
import type { Bank, Measure } from "../bank/bank.ts"
import type { Random } from "../random.ts"

export interface Addition {
  readonly measures: readonly [Measure, Measure]
  readonly text: string
}

const FRAMES = [
  "To the number asked for, add the number of {a}; then add the number of {b}.",
  "Add two counts to the number asked for: the number of {a}, and the number of {b}.",
  "The answer is the number asked for plus the number of {a} plus the number of {b}.",
  "Raise the number asked for by as many as there are {a}, and then by as many as there are {b}."
]

export function additionOf(random: Random, { measures }: Pick<Bank, "measures">): Addition {
  const [one, other] = random.sample(measures, 2) as [Measure, Measure]
  const text = random.pick(FRAMES).replace("{a}", one.phrase).replace("{b}", other.phrase)
  return { measures: [one, other], text }
}

/** The story's number with what is added to it. */
export const raised = (answer: string, { measures: [one, other] }: Addition): string =>
  String(Number(answer) + one.n + other.n)
