/** Letters to the person, each written in the commit of the event that it reports. */
import { Effect } from "effect"
import { type Refusal, refusal, untilOperator } from "../../schemas/errors.ts"
import { type LetterParts, newLetterId, posting, sealLetter, type TemplateName } from "../letter/noun.ts"
import type { Sealer } from "../log/seal.ts"
import type { Posted } from "./decide.ts"
import type { Personal } from "./personal.ts"

interface LetterRequest {
  readonly human: string
  readonly template: TemplateName
  readonly to: Personal
  readonly values: Readonly<Record<string, string>>
  /** Unix ms. */
  readonly at: number
  /** Absent for a new one. */
  readonly id?: string | undefined
}

const noLetters = untilOperator(refusal("letters_unavailable", "This deployment sends no letters to people."))

/** Refuses requests that are useless without a letter. */
export const lettersGoOut = ({ letters }: Pick<LetterParts, "letters">): Effect.Effect<void, Refusal> =>
  letters.transport === null ? Effect.fail(noLetters) : Effect.void

/** Writes a letter; empty if the service sends no letters. */
export const post = (
  { letters }: Pick<LetterParts, "letters">,
  sealer: Sealer,
  { human, template, to, values, at, id = newLetterId() }: LetterRequest
): Posted => {
  if (letters.transport === null) return {}
  const sealed = sealLetter(sealer, id, { to: to.email, name: to.name, values })
  return posting({ id, human, template, sealed }, at)
}
