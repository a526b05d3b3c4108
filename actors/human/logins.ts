/**
 * The browsers from which an account was logged in to, each as a keyed hash of its name. A login from a new browser is
 * reported to the owner by letter. Pure.
 *
 * Invariants
 *  - The first login of an account needs no notice, because it follows the registration.
 *  - At most one letter is sent in an hour. A browser that was not reported because of this is not remembered, so that
 *    its next login is reported.
 */
import type { Posted } from "./decide.ts"
import type { Human, Logins } from "./state.ts"

const BROWSERS_MAX = 50
const TOLD_EVERY_MS = 3_600_000

export interface LoginFacts {
  /** The keyed hash of the browser's name. */
  readonly mark: string
  /** The letter that reports the login; empty if none is sent. */
  readonly letter: Posted
}

export interface KnownFrom {
  readonly known?: string
  readonly told?: true
}

export const noticed = (
  { logins }: Human,
  { mark, letter }: LoginFacts,
  at: number
): { readonly remembered: KnownFrom; readonly posted: Posted } => {
  const isNew = logins !== undefined && !logins.browsers.includes(mark)
  if (!isNew || letter.companions === undefined) return { remembered: { known: mark }, posted: {} }
  return at < (logins.told_at ?? Number.NEGATIVE_INFINITY) + TOLD_EVERY_MS
    ? { remembered: {}, posted: {} }
    : { remembered: { known: mark, told: true }, posted: letter }
}

export const loginsAfter = (logins: Logins | undefined, { known, told }: KnownFrom, at: number): Logins | undefined => {
  if (known === undefined) return logins
  const { browsers = [], told_at = null } = logins ?? {}
  return {
    browsers: [...browsers.filter((one) => one !== known), known].slice(-BROWSERS_MAX),
    told_at: told === true ? at : told_at
  }
}
