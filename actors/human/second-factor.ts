/**
 * The second step of a login: a code of an authenticator app, or a recovery code. Both are in one record, which is
 * sealed under the account's key.
 */
import { Schema } from "effect"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import type { Sealer } from "../log/seal.ts"
import { recoveryHash } from "./recovery-codes.ts"
import type { Human, HumanEvent } from "./state.ts"
import { verifyTotp } from "./totp.ts"

const Kept = Schema.fromJsonString(Schema.Struct({ secret: Schema.String, hashes: Schema.Array(Schema.String) }))
export type SecondFactor = typeof Kept.Type

const encode = Schema.encodeSync(Kept)
const decode = Schema.decodeSync(Kept)

const purposeOf = (human: string): string => `second factor ${human}`

export const sealSecondFactor = (sealer: Sealer, human: string, kept: SecondFactor): string =>
  sealer.seal(encode(kept), purposeOf(human))

export const openSecondFactor = (sealer: Sealer, human: string, sealed: string): SecondFactor =>
  decode(sealer.open(sealed, purposeOf(human)))

/** The meaning of a typed code: none, a time step of the app, or a recovery code. */
export type CodeUse =
  | { readonly kind: "none" }
  | { readonly kind: "step"; readonly step: number }
  | { readonly kind: "recovery"; readonly sealed: string; readonly left: number }

const NO_USE: CodeUse = { kind: "none" }

/** `at`: Unix ms. Returns `none` for an account without a second step, without a code, and for a wrong code. */
export const useOf = (sealer: Sealer, id: string, { two_step }: Human, code: string | null, at: number): CodeUse => {
  if (two_step === null || code === null) return NO_USE
  const kept = openSecondFactor(sealer, id, two_step.sealed)
  const step = verifyTotp(kept.secret, code, at, two_step.step)
  if (step !== null) return { kind: "step", step }
  const used = recoveryHash(id, code, kept.hashes)
  if (used === null) return NO_USE
  const hashes = kept.hashes.filter((hash) => hash !== used)
  return { kind: "recovery", sealed: sealSecondFactor(sealer, id, { ...kept, hashes }), left: hashes.length }
}

const secondFactorRequired = refusal("second_factor_required", "This account asks for a code as well: send `code`.", {
  methods: ["totp", "recovery_code"]
})

export const wrongCode = refusal("login_failed", "The code is wrong, or was used already.", { field: "code" })

/** The events of using a code; `null` if the account requires a code and the given one is missing or wrong. */
export const usedBy = (human: Human, use: CodeUse): ReadonlyArray<HumanEvent> | null => {
  if (human.two_step === null) return []
  switch (use.kind) {
    case "none":
      return null
    case "step":
      return [{ type: "human.step_used", v: 1, step: use.step }]
    case "recovery":
      return [{ type: "human.recovery_codes_changed", v: 1, sealed: use.sealed, left: use.left }]
  }
}

/** The refusal of a login without the right code. */
export const codeRefusal = (code: string | null): Refusal => (code === null ? secondFactorRequired : wrongCode)
