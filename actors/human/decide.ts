/**
 * Pure decisions on a person's account (contract 6, 20). Sealed data is passed in opened, as facts.
 *
 * Invariants
 *  - A link is valid once, for its time, and only if it is the newest of its purpose.
 *  - A new password ends every session, and every link for a further new password.
 *  - The maker of an account may not own its address. When the owner of the address first proves it, by a new password,
 *    everything of the maker's that locks the owner out or lets others in is removed. This includes the second step,
 *    passkeys, the chat, a code for a chat, browsers with push, and all declarations for agents.
 *  - The limits of a deleted account continue to count for its address. Declarations that no agent has answered end in
 *    the commit of the deletion. So a refusal by an agent either came before, and counts, or does not come.
 *  - A letter is written in the same commit as the event that it reports.
 */
import { notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import type { FormerAccount } from "../../schemas/human/operations.ts"
import type { RateLimit } from "../../schemas/limit/bucket.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Companion, Decision, DecideContext } from "../engine/definition.ts"
import type { AddressEvent } from "../address/noun.ts"
import type { SponsorshipEvent } from "../sponsorship/noun.ts"
import type { Unanswered } from "./left-behind.ts"
import { isPassword, type PasswordSecret } from "./personal.ts"
import type { NewToken } from "../kit/tokens.ts"
import type { Human, HumanEvent, HumanState, Link, LinkPurpose } from "./state.ts"

export type Posted = Pick<Extract<Decision, { readonly reply?: unknown }>, "companions" | "timers">

export interface LinkFacts {
  readonly link: NewToken
  readonly posted: Posted
}

export type OwnerLimits = Limits["limits"]["owner"]

export type Decided<Reply = unknown> = Decision<HumanEvent, Reply>

export const absent: { readonly refused: Refusal } = { refused: notFound("human") }

export const loginFailed = refusal("login_failed", "Address or password is wrong.")
export const linkInvalid = refusal("token_invalid", "This link was used, or a newer letter has replaced it.")
const linkExpired = refusal("token_expired", "The time of this link is over. Ask for a new letter.")

export const isActive = (state: HumanState): state is Human => state !== null && state.status === "active"

const onHuman =
  <Rest extends ReadonlyArray<unknown>, Reply>(decide: (human: Human, ...rest: Rest) => Decided<Reply>) =>
  (state: HumanState, ...rest: Rest): Decided<Reply> =>
    isActive(state) ? decide(state, ...rest) : absent

export interface RegisterFacts extends LinkFacts {
  readonly address: string
  /** The sequence of the claim on the address. */
  readonly claimed: number
  /** `former` and `left`: the data that earlier accounts of the address have left. */
  readonly former?: FormerAccount | undefined
  readonly left?: string | undefined
  readonly personal: string
  readonly password: Human["password"]
}

const madeLink = (purpose: LinkPurpose, { hash }: NewToken, at: number, owner: OwnerLimits): HumanEvent => {
  const seconds = purpose === "verify_address" ? owner.verify_link_seconds : owner.reset_link_seconds
  return { type: "human.link_made", v: 1, purpose, token: hash, expires_at: at + seconds * 1000 }
}

export const decideRegister = (
  state: HumanState,
  { id, at, facts }: DecideContext<RegisterFacts>,
  owner: OwnerLimits
): Decided<{ readonly created_at: string }> => {
  if (state !== null) return { refused: refusal("human_email_taken", "This account exists already.") }
  const { address, claimed, former, left, personal, password, link, posted } = facts
  // Deleting and making accounts again must not send letters to an address without limit. The account is made
  // nevertheless, because nobody may keep an address from its holder.
  const isQuiet = lettersRefusal(former?.verify_address ?? [], at, owner.verify_letters) !== null
  const { companions = [], timers = [] } = isQuiet ? {} : posted
  const claim: AddressEvent = { type: "address.claimed", v: 1, human: id }
  const before = { ...(former === undefined ? {} : { former }), ...(left === undefined ? {} : { left }) }
  return {
    events: [
      { type: "human.registered", v: 1, personal, address, password, ...before },
      ...(isQuiet ? [] : [madeLink("verify_address", link, at, owner)])
    ],
    reply: { created_at: new Date(at).toISOString() },
    companions: [{ kind: "address", id: address, expected: claimed, events: [claim] }, ...companions],
    timers
  }
}

export const emailTaken = refusal("human_email_taken", "There is an account with this address already.", {
  field: "email"
})

/** The refusal if too many letters were sent; `null` otherwise. `times`: Unix ms of the earlier letters. */
const lettersRefusal = (times: ReadonlyArray<number>, at: number, { requests, window_seconds }: RateLimit) => {
  const recent = times.filter((time) => time > at - window_seconds * 1000)
  if (recent.length < requests) return null
  const oldest = recent.at(-requests) ?? at
  const retryAfter = Math.max(1, Math.ceil((oldest + window_seconds * 1000 - at) / 1000))
  const details = { bucket: "letters", limit: requests, window_seconds, retry_after: retryAfter }
  return {
    ...refusal("rate_limited", `${requests} such letters in ${window_seconds} seconds are allowed.`, details),
    retryAfter
  }
}

export const decideVerification = onHuman(
  (human, { at, facts }: DecideContext<LinkFacts>, owner: OwnerLimits): Decided<null> => {
    if (human.email_verified) return { refused: refusal("already_verified", "This address is confirmed already.") }
    // The limit of further letters (spec 4.8). The letter of the sign-up does not count.
    const again = human.letters.verify_address.filter((sent) => sent !== human.created_at)
    const refused = lettersRefusal(again, at, owner.verify_letters)
    if (refused !== null) return { refused }
    return { events: [madeLink("verify_address", facts.link, at, owner)], reply: null, ...facts.posted }
  }
)

/** The reply is the same whether a letter is sent or not. */
export const decideForgot = onHuman(
  (human, { at, facts }: DecideContext<LinkFacts>, owner: OwnerLimits): Decided<null> =>
    lettersRefusal(human.letters.reset_password, at, owner.forgot_per_account) === null
      ? { events: [madeLink("reset_password", facts.link, at, owner)], reply: null, ...facts.posted }
      : { events: [], reply: null }
)

export const decideRename = onHuman(
  (_human, { facts }: DecideContext<{ readonly personal: string; readonly same: boolean }>): Decided => ({
    events: facts.same ? [] : [{ type: "human.renamed", v: 1, personal: facts.personal }]
  })
)

/** The link of this purpose with this token, or the refusal if there is none or it has expired. */
export const linkOf = (
  human: Human,
  purpose: LinkPurpose,
  token: string,
  at: number
): { readonly link: Link } | { readonly refused: Refusal } => {
  const link = human.links.find((one) => one.purpose === purpose && one.token === token)
  if (link === undefined) return { refused: linkInvalid }
  return link.expires_at > at ? { link } : { refused: linkExpired }
}

/** The field of an event that names the sponsorships which are open as far as the account knows. */
const openOf = ({ sponsorships }: Human): { readonly sponsorships?: ReadonlyArray<number> } => {
  const open = sponsorships.filter((one) => one.open).map(({ id }) => id)
  return open.length === 0 ? {} : { sponsorships: open }
}

const addressConfirmed = (human: Human): HumanEvent => ({ type: "human.address_confirmed", v: 1, ...openOf(human) })

export const decideConfirm = (
  state: HumanState,
  { token }: { readonly token: string },
  { at }: Pick<DecideContext<unknown>, "at">
): Decided => {
  if (!isActive(state)) return { refused: linkInvalid }
  const found = linkOf(state, "verify_address", token, at)
  if ("refused" in found) return found
  return {
    events: [{ type: "human.link_used", v: 1, purpose: "verify_address" }, addressConfirmed(state)]
  }
}

export interface PasswordFacts {
  readonly secret: PasswordSecret
}

export const closing = (sessions: ReadonlyArray<number>): ReadonlyArray<HumanEvent> =>
  sessions.length === 0 ? [] : [{ type: "human.sessions_closed", v: 1, sessions }]

export interface SealedPassword {
  readonly password: Human["password"]
}

const changedTo = (human: Human, password: Human["password"]): ReadonlyArray<HumanEvent> => [
  { type: "human.password_changed", v: 1, password },
  ...closing(human.sessions.map(({ id }) => id))
]

/** Sets a new password by the link of a letter. The link also proves the address. */
export const decideReset = (
  state: HumanState,
  { token }: { readonly token: string },
  { at, facts }: DecideContext<SealedPassword & { readonly posted: Posted }>
): Decided => {
  if (!isActive(state)) return { refused: linkInvalid }
  const found = linkOf(state, "reset_password", token, at)
  if ("refused" in found) return found
  return {
    events: [
      { type: "human.link_used", v: 1, purpose: "reset_password" },
      ...changedTo(state, facts.password),
      ...(state.email_verified ? [] : confirmedBy(state))
    ],
    ...facts.posted
  }
}

const takenOver = (human: Human): HumanEvent => {
  const { sponsorships: ended } = openOf(human)
  return { type: "human.address_confirmed", v: 1, ...(ended === undefined ? {} : { ended }) }
}

/** The events when the holder of the address first proves it by a new password. */
export const confirmedBy = (human: Human): ReadonlyArray<HumanEvent> => [
  ...(human.two_step === null ? [] : [{ type: "human.two_step_disabled", v: 1 } as const]),
  ...(human.passkeys?.kept ?? []).map(({ id }): HumanEvent => ({ type: "human.passkey_removed", v: 1, passkey: id })),
  // The holder of the chat reads agents' questions, and answers in this person's name.
  ...(human.chat.linked === null && human.chat.offered === null
    ? []
    : [{ type: "human.chat_unlinked", v: 1 } as const]),
  ...human.push.subscriptions.map(({ id }): HumanEvent => ({ type: "human.push_ended", v: 1, id })),
  // A stranger who signed up with this address may have switched off all news for its holder.
  ...(Object.keys(human.relay.choices).length === 0
    ? []
    : [{ type: "human.relay_chosen", v: 1, choices: {} } as const]),
  ...human.links
    .filter(({ purpose }) => purpose === "verify_address")
    .map(({ purpose }): HumanEvent => ({ type: "human.link_used", v: 1, purpose })),
  takenOver(human)
]

export const decideChange = onHuman(
  (
    human,
    { password }: { readonly password: string },
    { facts }: DecideContext<PasswordFacts & SealedPassword & { readonly posted: Posted }>
  ): Decided => {
    if (!isPassword(facts.secret, password)) return { refused: loginFailed }
    const links = human.links
      .filter(({ purpose }) => purpose === "reset_password")
      .map(({ purpose }): HumanEvent => ({ type: "human.link_used", v: 1, purpose }))
    return { events: [...links, ...changedTo(human, facts.password)], ...facts.posted }
  }
)

/** Stores the same password with new parameters. Sessions go on. */
export const decideRenew = onHuman(
  (
    _human,
    { password }: { readonly password: string },
    { facts }: DecideContext<PasswordFacts & SealedPassword>
  ): Decided =>
    isPassword(facts.secret, password)
      ? { events: [{ type: "human.password_renewed", v: 1, password: facts.password }] }
      : { refused: loginFailed }
)

const lettersOf = (
  { letters: { verify_address, reset_password } }: Human,
  at: number,
  { verify_letters, forgot_per_account }: OwnerLimits
): FormerAccount => {
  const newest = (times: ReadonlyArray<number>, { window_seconds }: RateLimit) =>
    times.filter((time) => time > at - window_seconds * 1000)
  return {
    made: [],
    verify_address: newest(verify_address, verify_letters),
    reset_password: newest(reset_password, forgot_per_account)
  }
}

/** `left`: the data that name agents, sealed for the address. */
export interface DeleteFacts extends PasswordFacts {
  readonly email: string
  readonly claimed: number
  readonly left?: string | undefined
  readonly unanswered?: ReadonlyArray<Unanswered>
}

const withdrawing =
  (human: string) =>
  ({ id, agent, seq }: Unanswered): Companion => {
    const ended: SponsorshipEvent = { type: "sponsorship.ended", v: 1, human, agent, status: "withdrawn" }
    return { kind: "sponsorship", id: String(id), expected: seq, events: [ended] }
  }

export const decideDelete = onHuman(
  (
    human,
    { password, confirm }: { readonly password: string; readonly confirm: string },
    { id, at, facts }: DecideContext<DeleteFacts>,
    owner: OwnerLimits
  ): Decided => {
    if (!isPassword(facts.secret, password)) return { refused: loginFailed }
    if (confirm !== facts.email) {
      const needs = "Deleting the account needs `confirm`: your own address."
      return { refused: refusal("confirmation_required", needs, { field: "confirm" }) }
    }
    const { left } = facts
    const former = lettersOf(human, at, owner)
    const release: AddressEvent = { type: "address.released", v: 1, former, ...(left === undefined ? {} : { left }) }
    const companions: ReadonlyArray<Companion> = [
      { kind: "address", id: human.address, expected: facts.claimed, events: [release] },
      ...(facts.unanswered ?? []).map(withdrawing(id))
    ]
    return { events: [{ type: "human.deleted", v: 1, ...openOf(human) }], companions }
  }
)
