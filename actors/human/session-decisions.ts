/**
 * Pure decisions on the sessions of an account.
 *
 * Invariants
 *  - A session is opened by the right password, with the right code if the account requires one, or by a passkey
 *    (decide-passkeys.ts). A link in a letter never opens one.
 *  - A form that is sent several times opens one session: the latest, because the browser has its token. If it is sent
 *    again within a minute, no second code is needed, because a code is valid only once.
 */
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { CONSOLE_SESSION_SECONDS } from "../../schemas/human/limits.ts"
import type { DecideContext } from "../engine/definition.ts"
import {
  closing,
  type Decided,
  isActive,
  loginFailed,
  type OwnerLimits,
  type PasswordFacts,
  type Posted
} from "./decide.ts"
import { type LoginFacts, noticed } from "./logins.ts"
import { isPassword } from "./personal.ts"
import { codeRefusal, type CodeUse, usedBy } from "./second-factor.ts"
import type { Human, HumanEvent, HumanState, Session } from "./state.ts"

const SENT_AGAIN_WITHIN_MS = 60_000

export const sessionInvalid: Refusal = refusal(
  "session_invalid",
  "There is no such session, or it has ended. Log in again."
)

export const openSession = (state: HumanState, token: string, at: number): Session | null =>
  found(state, token, at, (session) => session.console === undefined)

/**
 * The open session of the operators' console. A console session does not open the owner's pages, and an owner's session
 * does not open the console.
 */
export const openConsole = (state: HumanState, token: string, at: number): Session | null =>
  found(state, token, at, (session) => session.console === true)

const found = (state: HumanState, token: string, at: number, isWanted: (session: Session) => boolean): Session | null =>
  isActive(state)
    ? (state.sessions.find((one) => one.token === token && one.expires_at > at && isWanted(one)) ?? null)
    : null

export interface OpenFacts extends PasswordFacts {
  readonly use: CodeUse
  /** The browser's name, sealed. */
  readonly browser: string | null
  readonly login: LoginFacts
}

export interface Opens {
  readonly password: string
  readonly token: string
  readonly code: string | null
  readonly form?: string
}

export const decideOpen = (
  state: HumanState,
  { password, token, code, form }: Opens,
  { at, facts }: DecideContext<OpenFacts>,
  owner: OwnerLimits,
  isConsole = false
): Decided<{ readonly expires_at: number }> => {
  if (!isActive(state) || !isPassword(facts.secret, password)) return { refused: loginFailed }
  const standing = state.sessions.filter((session) => session.expires_at > at)
  const before = standing.filter((session) => form !== undefined && session.form === form)
  const isAgain = before.some(({ opened_at }) => opened_at > at - SENT_AGAIN_WITHIN_MS)
  const used = usedBy(state, facts.use) ?? (isAgain ? [] : null)
  if (used === null) return { refused: codeRefusal(code) }
  const { browser, login } = facts
  const { events, expires_at, posted } = opening(state, { token, browser, login, form, before, isConsole }, at, owner)
  return { events: [...used, ...events], reply: { expires_at }, ...posted }
}

/** True if the password was right, and a code is missing. */
export const isCodeWanted = (decided: Decided): boolean =>
  "refused" in decided && decided.refused.code === "second_factor_required"

interface Opening {
  readonly token: string
  /** The browser's name, sealed. */
  readonly browser: string | null
  readonly login: LoginFacts
  readonly form?: string | undefined
  readonly before?: ReadonlyArray<Session>
  readonly isConsole?: boolean
}

/** If there are too many sessions, the oldest one ends. */
export const opening = (
  human: Human,
  { token, browser, login, form, before = [], isConsole = false }: Opening,
  at: number,
  owner: OwnerLimits
): { readonly events: ReadonlyArray<HumanEvent>; readonly expires_at: number; readonly posted: Posted } => {
  const { sessions, opened } = human
  const expires_at = at + (isConsole ? CONSOLE_SESSION_SECONDS : owner.session_seconds) * 1000
  const others = sessions.filter((session) => session.expires_at > at && !before.includes(session))
  const oldest = others.slice(0, Math.max(0, others.length - owner.sessions_max + 1))
  const { remembered, posted } = noticed(human, login, at)
  const more = {
    ...(browser === null ? {} : { browser }),
    ...(form === undefined ? {} : { form }),
    ...remembered,
    ...(isConsole ? { console: true as const } : {})
  }
  return {
    events: [
      ...closing([...before, ...oldest].map(({ id }) => id)),
      { type: "human.session_opened", v: 1, session: opened + 1, token, expires_at, ...more }
    ],
    expires_at,
    posted
  }
}

export const decideClose = (
  state: HumanState,
  { token }: { readonly token: string },
  { at }: Pick<DecideContext<unknown>, "at">
): Decided => {
  const session = openSession(state, token, at)
  return session === null ? { refused: sessionInvalid } : { events: closing([session.id]) }
}

/** Ends one session, or all other ones. A session that has ended already is no fault. */
export const decideEnd = (
  state: HumanState,
  { token, session }: { readonly token: string; readonly session: number | null },
  { at }: Pick<DecideContext<unknown>, "at">
): Decided => {
  const current = openSession(state, token, at)
  if (current === null || !isActive(state)) return { refused: sessionInvalid }
  const ended = state.sessions.filter(({ id }) => (session === null ? id !== current.id : id === session))
  return { events: closing(ended.map(({ id }) => id)) }
}
