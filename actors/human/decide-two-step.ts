/** Decisions on the second step of a login. Pure. */
import { invalidField } from "../../schemas/errors.ts"
import type { Decision, DecideContext } from "../engine/definition.ts"
import { absent, isActive, loginFailed, type PasswordFacts, type Posted } from "./decide.ts"
import { isPassword } from "./personal.ts"
import { wrongCode } from "./second-factor.ts"
import type { HumanEvent, HumanState } from "./state.ts"

type Decided<Reply = unknown> = Decision<HumanEvent, Reply>

export interface OfferFacts extends PasswordFacts {
  readonly sealed: string
}

type ByPassword = { readonly password: string }

export const decideOffer = (
  state: HumanState,
  { password }: ByPassword,
  { facts }: DecideContext<OfferFacts>
): Decided => {
  if (!isActive(state)) return absent
  if (!isPassword(facts.secret, password)) return { refused: loginFailed }
  if (state.two_step !== null)
    return { refused: invalidField("two_step", "A code is asked for already. Switch it off first.", { rule: "on" }) }
  return { events: [{ type: "human.two_step_offered", v: 1, sealed: facts.sealed }] }
}

export interface EnableFacts {
  /** The time step of the code; `null` if the code does not match the offered secret. */
  readonly step: number | null
  readonly sealed: string
  readonly left: number
  /** The recovery codes, which are shown once, sealed for the answer. */
  readonly shown: string
  readonly posted: Posted
}

export const decideEnable = (
  state: HumanState,
  { facts }: DecideContext<EnableFacts>
): Decided<{ readonly shown: string }> => {
  if (!isActive(state)) return absent
  if (state.offered === null)
    return { refused: invalidField("two_step", "There is nothing to confirm. Begin again.", { rule: "off" }) }
  if (facts.step === null) return { refused: wrongCode }
  const { step, sealed, left, shown, posted } = facts
  return { events: [{ type: "human.two_step_enabled", v: 1, sealed, left, step }], reply: { shown }, ...posted }
}

export const decideDisable = (
  state: HumanState,
  { password }: ByPassword,
  { facts }: DecideContext<PasswordFacts & { readonly posted: Posted }>
): Decided => {
  if (!isActive(state)) return absent
  if (!isPassword(facts.secret, password)) return { refused: loginFailed }
  if (state.two_step === null) return { events: [] }
  return { events: [{ type: "human.two_step_disabled", v: 1 }], ...facts.posted }
}

export interface RenewFacts extends PasswordFacts {
  readonly sealed: string | null
  readonly left: number
  readonly shown: string
}

/** The earlier recovery codes become invalid. */
export const decideRenewCodes = (
  state: HumanState,
  { password }: ByPassword,
  { facts }: DecideContext<RenewFacts>
): Decided<{ readonly shown: string }> => {
  if (!isActive(state)) return absent
  if (!isPassword(facts.secret, password)) return { refused: loginFailed }
  const { sealed, left, shown } = facts
  if (state.two_step === null || sealed === null)
    return { refused: invalidField("two_step", "No code is asked for at this account's login.", { rule: "off" }) }
  return { events: [{ type: "human.recovery_codes_changed", v: 1, sealed, left }], reply: { shown } }
}
