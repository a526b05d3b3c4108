/**
 * Makes the five questions of one challenge.
 *
 * - Four come from reasoning families, one of each engine. A program that can read only one kind of story is right once
 *   or twice. The fifth is another sum or one of the deployment's own questions. Only the fifth may ask for a format.
 * - No family appears twice. The fifth's position is drawn, so positions reveal nothing.
 * - Pure: the same randomness and bank give the same questions. Production passes new random bytes for every challenge.
 */
import type { Bank } from "./bank/bank.ts"
import { OUR_BANK } from "./bank/index.ts"
import { FAMILIES } from "./families.ts"
import { draft, ENGINES } from "./family.ts"
import type { Draft, Family } from "./family.ts"
import { MIN_REASONING_QUESTIONS, QUESTIONS_PER_CHALLENGE } from "./question.ts"
import type { Question } from "./question.ts"
import type { Random } from "./random.ts"

const REASONING = ENGINES.map((engine) => FAMILIES.filter((family) => family.reasoning && family.engine === engine))
const SUMS = FAMILIES.filter(({ engine }) => engine === "sum")
if (REASONING.length < MIN_REASONING_QUESTIONS || QUESTIONS_PER_CHALLENGE !== MIN_REASONING_QUESTIONS + 1)
  throw new Error("questions: engines and rules do not fit")
const OWN_FAMILY = "own"

export interface FamilyDraft extends Draft {
  readonly family: string
}

/** The families of a challenge, with null for one of the deployment's own questions. */
export function familiesDrawn(random: Random, bank: Bank): ReadonlyArray<Family | null> {
  const sure = REASONING.map((families) => random.pick(families))
  const rest = SUMS.filter((family) => !sure.includes(family))
  const own = bank.questions.length > 0 && random.int(0, 1) === 0
  return random.shuffle([...sure, ...(own ? [null] : [random.pick(rest)])])
}

/** Questions with the names of their families. These names never leave the server. */
export function namedQuestions(random: Random, bank: Bank = OUR_BANK): ReadonlyArray<FamilyDraft> {
  return familiesDrawn(random, bank).map((family) =>
    family === null
      ? { family: OWN_FAMILY, ...random.pick(bank.questions) }
      : { family: family.name, ...draft(family, random, bank) }
  )
}

export function generateQuestions(random: Random, bank: Bank = OUR_BANK): ReadonlyArray<Question> {
  return namedQuestions(random, bank).map(({ prompt, answer, kind, format }, i) => ({
    id: `q${i + 1}`,
    prompt,
    answer,
    kind,
    format
  }))
}
