/**
 * Pure decisions on an operator's rights and console sessions.
 *
 * Invariants
 *  - A role needs a confirmed address: until then the account may be a stranger's.
 *  - A console session needs the role and a second step. It ends when the role is taken away.
 */
import { invalidField, refusal } from "../../schemas/errors.ts"
import type { HumanRole } from "../../schemas/human/records.ts"
import type { DecideContext } from "../engine/definition.ts"
import { absent, closing, type Decided, isActive, loginFailed, type OwnerLimits } from "./decide.ts"
import { decideEnter } from "./decide-passkeys.ts"
import { isPassword } from "./personal.ts"
import { decideOpen, openConsole, type OpenFacts, type Opens, sessionInvalid } from "./session-decisions.ts"
import type { Human, HumanState, Session } from "./state.ts"

const OPERATOR: HumanRole = "operator"

const notOperator = refusal("operator_required", "This account is not an operator's.", { field: "email" })
const noSecondStep = refusal(
  "operator_required",
  "The console needs a second step. Set one up in the settings of your account, then log in here.",
  { field: "password", rule: "second_step" }
)
const notConfirmed = invalidField("role", "The person must confirm the account's address first.", { rule: "confirmed" })

const isOperator = ({ roles = [] }: Human): boolean => roles.includes(OPERATOR)

export interface RoleChange {
  readonly role: HumanRole
  readonly granted: boolean
  readonly reason: string
}

export const decideRole = (state: HumanState, { role, granted, reason }: RoleChange): Decided => {
  if (!isActive(state)) return absent
  if (granted && !state.email_verified) return { refused: notConfirmed }
  if ((state.roles ?? []).includes(role) === granted) return { events: [] }
  const ended = granted ? [] : state.sessions.filter((session) => session.console === true)
  return {
    events: [{ type: "human.role_changed", v: 1, role, granted, reason }, ...closing(ended.map(({ id }) => id))]
  }
}

export const decideOpenConsole = (
  state: HumanState,
  input: Opens,
  context: DecideContext<OpenFacts>,
  owner: OwnerLimits
): Decided<{ readonly expires_at: number }> => {
  if (!isActive(state) || !isPassword(context.facts.secret, input.password)) return { refused: loginFailed }
  if (!isOperator(state)) return { refused: notOperator }
  return state.two_step === null ? { refused: noSecondStep } : decideOpen(state, input, context, owner, true)
}

/** Opens a console session by a passkey, which replaces both steps of a login. */
export const decideEnterConsole = (
  state: HumanState,
  input: Parameters<typeof decideEnter>[1],
  context: Parameters<typeof decideEnter>[2],
  owner: OwnerLimits
): Decided<{ readonly expires_at: number }> => {
  const entered = decideEnter(state, input, context, owner, true)
  if ("refused" in entered || !isActive(state) || isOperator(state)) return entered
  return { refused: notOperator }
}

/** The open session of the console if the account still has the operator role; otherwise `null`. */
export const consoleSession = (state: HumanState, token: string, at: number): Session | null =>
  isActive(state) && isOperator(state) ? openConsole(state, token, at) : null

export const decideCloseConsole = (
  state: HumanState,
  { token }: { readonly token: string },
  { at }: Pick<DecideContext<unknown>, "at">
): Decided => {
  const session = openConsole(state, token, at)
  return session === null ? { refused: sessionInvalid } : { events: closing([session.id]) }
}
