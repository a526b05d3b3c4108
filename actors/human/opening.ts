/** Prepares the facts of an account's decisions: its key, the opened records, and the letters about the decisions. */
import { Effect } from "effect"
import { notFound, type Refusal } from "../../schemas/errors.ts"
import type { PrepareContext } from "../engine/definition.ts"
import type { LetterParts, TemplateName } from "../letter/noun.ts"
import type { Actors } from "../engine/services.ts"
import type { Sealer } from "../log/seal.ts"
import type { AccountKeys } from "../kit/account-keys.ts"
import { isActive, type LinkFacts, loginFailed, type PasswordFacts, type Posted } from "./decide.ts"
import { lettersGoOut, post } from "./letters.ts"
import type { LoginFacts } from "./logins.ts"
import { isPassword, openPassword, openPersonal, type Personal } from "./personal.ts"
import type { Human, HumanState, LinkPurpose } from "./state.ts"
import { newLinkToken } from "../kit/tokens.ts"
import { giveBackTry } from "./tries.ts"

export const noHuman = notFound("human")

/** The paths of links in letters (contract 20). */
const PATHS: Readonly<Record<LinkPurpose, string>> = {
  verify_address: "/owner/verify",
  reset_password: "/owner/forgot"
}

export interface OpenedAccount {
  readonly human: Human
  readonly sealer: Sealer
}

type At = Pick<PrepareContext, "id" | "at">

export interface Opening {
  readonly keys: AccountKeys
  /** Fails with `not_found`, or with the given refusal, if the account does not exist. */
  readonly opened: (state: HumanState, id: string, otherwise?: Refusal) => Effect.Effect<OpenedAccount, Refusal>
  readonly personalOf: (opened: OpenedAccount, id: string) => Personal
  /** Opens the account and its password's verifier, with which a decision compares the tried password. */
  readonly tried: (state: HumanState, context: At) => Effect.Effect<OpenedAccount & PasswordFacts, Refusal>
  /**
   * Like `tried`, for a person with a session who enters the password again. A right password does not count as a try
   * (tries.ts).
   */
  readonly said: (
    state: HumanState,
    input: { readonly password: string },
    context: At & Pick<PrepareContext, "commandId">
  ) => Effect.Effect<OpenedAccount & PasswordFacts, Refusal, Actors>
  readonly linkFor: (purpose: LinkPurpose, sealer: Sealer, context: At, to: Personal) => LinkFacts
  readonly linked: (
    purpose: LinkPurpose
  ) => (state: HumanState, input: null, context: At) => Effect.Effect<LinkFacts, Refusal>
  /**
   * A letter that reports an event. It is only sent to a confirmed address, so that strangers cannot fill somebody's
   * mailbox. `letter`: the letter's id, if it is not a new one.
   */
  readonly told: (
    template: TemplateName,
    opened: OpenedAccount,
    context: At,
    values?: Readonly<Record<string, string>>,
    letter?: string
  ) => Posted
  /** `browser`: the browser's name, if it sends one. */
  readonly loginOf: (opened: OpenedAccount, context: At, browser: string | undefined) => LoginFacts
}

const UNNAMED = "a browser that does not say what it is called"

/** "2026-11-24 09:30 UTC". */
const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`

export const openingOf = (parts: LetterParts): Opening => {
  const keys = parts.accounts

  // The key is requested even if the account does not exist. Otherwise, while no key can be read, only accounts that
  // exist would answer with an error, and strangers could tell which ones exist.
  const opened: Opening["opened"] = (state, id, otherwise = noHuman) =>
    Effect.flatMap(keys.of(id), (sealer) =>
      sealer !== null && isActive(state) ? Effect.succeed({ human: state, sealer }) : Effect.fail(otherwise)
    )

  const personalOf: Opening["personalOf"] = ({ human, sealer }, id) => openPersonal(sealer, id, human.personal)

  const linkFor: Opening["linkFor"] = (purpose, sealer, { id, at }, to) => {
    const link = newLinkToken(id)
    const values = { path: `${PATHS[purpose]}?token=${link.token}` }
    return { link, posted: post(parts, sealer, { human: id, template: purpose, to, values, at }) }
  }

  const tried: Opening["tried"] = (state, { id }) =>
    Effect.map(opened(state, id, loginFailed), ({ human, sealer }) => ({
      human,
      sealer,
      secret: openPassword(sealer, id, human.password)
    }))

  const told: Opening["told"] = (template, account, { id, at }, values = {}, letter) =>
    !account.human.email_verified
      ? {}
      : post(parts, account.sealer, { human: id, template, to: personalOf(account, id), values, at, id: letter })

  return {
    keys,
    opened,
    personalOf,
    linkFor,
    tried,
    said: (state, { password }, context) =>
      Effect.tap(tried(state, context), ({ human, secret }) =>
        isPassword(secret, password)
          ? Effect.forkDetach(giveBackTry(`${context.commandId}-right`, human.address))
          : Effect.void
      ),
    linked: (purpose) => (state, _input, context) =>
      Effect.andThen(
        lettersGoOut(parts),
        Effect.map(opened(state, context.id), (account) =>
          linkFor(purpose, account.sealer, context, personalOf(account, context.id))
        )
      ),
    told,
    loginOf: (account, context, browser) => ({
      mark: account.sealer.mark(browser ?? "", `browser ${context.id}`),
      letter: told("new_login", account, context, { when: minuteOf(context.at), what: browser ?? UNNAMED })
    })
  }
}
