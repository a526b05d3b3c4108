/** The rules and refusals that all steps of registration share. */
import { type Refusal, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"

export interface Rules {
  readonly limits: Limits
  readonly production: boolean
  readonly captchaBypass: string | null
  readonly baseUrl: string
  /** The deployment's own name, reserved as a handle (spec 2.1). */
  readonly ownName: string
}

export const unknown: { readonly refused: Refusal } = {
  refused: refusal("challenge_unknown", "There is no such challenge. Begin with step 1.")
}
