/**
 * Pure decisions on passkeys. The results of verification are passed in as facts.
 *
 * Invariants
 *  - A passkey can be added only shortly after the password was entered, and in the same session.
 *  - Each challenge can be answered once, within its time, by the browser that it was made for.
 *  - A passkey replaces both steps of a login. At a login, every fault of a passkey gets the same refusal.
 */
import { aboveMax, invalidField, refusal } from "../../schemas/errors.ts"
import { PASSKEY_LIMITS } from "../../schemas/human/limits.ts"
import type { DecideContext } from "../engine/definition.ts"
import {
  absent,
  type Decided,
  isActive,
  loginFailed,
  type OwnerLimits,
  type PasswordFacts,
  type Posted
} from "./decide.ts"
import type { LoginFacts } from "./logins.ts"
import { type Challenge, challengeHash } from "./passkey-challenge.ts"
import { isPassword } from "./personal.ts"
import { opening, openSession, sessionInvalid } from "./session-decisions.ts"
import type { Human, HumanEvent, HumanState, Passkeys } from "./state.ts"

const { max, remembered_max } = PASSKEY_LIMITS

const NONE: Passkeys = { last: 0, kept: [], used: [] }

export const passkeysOf = ({ passkeys }: Human): Passkeys => passkeys ?? NONE

/**
 * The largest difference between two nodes' clocks. An answered challenge is remembered for this long after its end,
 * because a node whose clock is behind would still accept the challenge.
 */
const CLOCKS_APART_MS = 300_000

/** The used challenges that a node might still accept. Others are refused because they have expired. */
export const rememberedOf = (used: Passkeys["used"], at: number): Passkeys["used"] =>
  used.filter(({ until }) => until + CLOCKS_APART_MS > at)

export const passkeyRefused = refusal("login_failed", "The passkey was not accepted.", { field: "passkey" })
const notMade = invalidField("passkey", "The passkey was not accepted. Begin again.", { rule: "passkey" })
export const tooMany = aboveMax("passkey", `There are ${max} passkeys already. Remove one first.`, max)
const knownAlready = invalidField("passkey", "This passkey is there already.", { rule: "known" })

/**
 * The record of an answered challenge for the event; `null` if the challenge may not be answered, or not by this
 * browser.
 */
const answering = ({ used }: Passkeys, challenge: Challenge | null, bound: string, at: number) => {
  if (challenge === null || challenge.bound !== bound || challenge.until <= at) return null
  const hash = challengeHash(challenge)
  if (rememberedOf(used, at).length >= remembered_max || used.some((one) => one.challenge === hash)) return null
  return { challenge: hash, until: challenge.until }
}

export interface AddFacts {
  readonly challenge: Challenge | null
  /** The record of the new passkey, sealed; `null` if the browser's answer does not match the request. */
  readonly sealed: string | null
  readonly known: boolean
  readonly posted: Posted
}

export const decideAdd = (
  state: HumanState,
  { token }: { readonly token: string },
  { at, facts }: DecideContext<AddFacts>
): Decided => {
  if (!isActive(state)) return absent
  if (openSession(state, token, at) === null) return { refused: sessionInvalid }
  const passkeys = passkeysOf(state)
  const answered = answering(passkeys, facts.challenge, token, at)
  if (answered === null || facts.sealed === null) return { refused: notMade }
  if (facts.known) return { refused: knownAlready }
  if (passkeys.kept.length >= max) return { refused: tooMany }
  const added = { passkey: passkeys.last + 1, sealed: facts.sealed, ...answered }
  return { events: [{ type: "human.passkey_added", v: 1, ...added }], ...facts.posted }
}

export const decideRemove = (
  state: HumanState,
  { password, passkey }: { readonly password: string; readonly passkey: number },
  { facts }: DecideContext<PasswordFacts & { readonly posted: Posted }>
): Decided => {
  if (!isActive(state)) return absent
  if (!isPassword(facts.secret, password)) return { refused: loginFailed }
  if (!passkeysOf(state).kept.some(({ id }) => id === passkey)) return { events: [] }
  return { events: [{ type: "human.passkey_removed", v: 1, passkey }], ...facts.posted }
}

export interface EnterFacts {
  readonly challenge: Challenge | null
  /** The passkey that signed, and its new record; `null` if no passkey of the account did. */
  readonly signed: { readonly passkey: number; readonly sealed: string } | null
  readonly browser: string | null
  readonly login: LoginFacts
}

export const decideEnter = (
  state: HumanState,
  { token, bound }: { readonly token: string; readonly bound: string },
  { at, facts: { challenge, signed, browser, login } }: DecideContext<EnterFacts>,
  owner: OwnerLimits,
  isConsole = false
): Decided<{ readonly expires_at: number }> => {
  if (!isActive(state)) return { refused: passkeyRefused }
  const answered = answering(passkeysOf(state), challenge, bound, at)
  if (answered === null || signed === null) return { refused: passkeyRefused }
  const { events, expires_at, posted } = opening(state, { token, browser, login, isConsole }, at, owner)
  const used: HumanEvent = { type: "human.passkey_used", v: 1, ...signed, ...answered }
  return { events: [used, ...events], reply: { expires_at }, ...posted }
}
