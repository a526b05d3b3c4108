/**
 * The state of a person's account and its events (contract 6, 20). `null`: an account that never existed.
 *
 * The person's data (name, address, password) is sealed under the account's key (actors/kit/account-keys.ts), which is
 * erased with the account. Folding the events needs no key.
 */
import { Schema } from "effect"
import { FormerAccount } from "../../schemas/human/operations.ts"
import { HumanRole } from "../../schemas/human/records.ts"
import { PasswordParameters } from "../../schemas/human/password.ts"
import { Sealed } from "../../schemas/secret/sealed.ts"
import { event } from "../engine/events.ts"
import type { RequestMemory } from "../idempotency/noun.ts"
import type { DayBytes } from "../limit/noun.ts"
import type { ActorOf } from "../kit/kind.ts"
import { CHAT_EVENTS, ChatState } from "./chat/state.ts"
import { PUSH_EVENTS, PushState } from "./push/state.ts"
import { RELAY_EVENTS, RelayState } from "./relay/state.ts"

export const Session = Schema.Struct({
  id: Schema.Int,
  /** The sha256 of the token, in hex. */
  token: Schema.String,
  /** Unix ms. */
  opened_at: Schema.Number,
  expires_at: Schema.Number,
  browser: Schema.optionalKey(Sealed),
  /** The form that opened the session. A form that is sent several times opens one session. */
  form: Schema.optionalKey(Schema.String),
  /** True for a session of the operators' console, which opens none of the owner's pages. */
  console: Schema.optionalKey(Schema.Literal(true))
})
export type Session = typeof Session.Type

const LINK_PURPOSES = ["verify_address", "reset_password"] as const
const LinkPurpose = Schema.Literals(LINK_PURPOSES)
export type LinkPurpose = typeof LinkPurpose.Type

/** The link of a letter. It is valid once, and only if it is the newest of its purpose. */
export const Link = Schema.Struct({
  purpose: LinkPurpose,
  /** The sha256 of the token, in hex. */
  token: Schema.String,
  expires_at: Schema.Number
})
export type Link = typeof Link.Type

/** Verifier and salt are sealed. The parameters of the hash are no secret. */
const Password = Schema.Struct({ sealed: Sealed, parameters: PasswordParameters })

/** The codes of an app, and the number of recovery codes that are left. */
const TwoStep = Schema.Struct({
  /** `{ secret, hashes }`, see second-factor.ts. */
  sealed: Sealed,
  left: Schema.Int,
  /** The last time step whose code was used (RFC 6238). */
  step: Schema.NullOr(Schema.Int)
})

const Passkey = Schema.Struct({
  id: Schema.Int,
  /** The passkey's record (passkey-record.ts), sealed. */
  sealed: Sealed,
  added_at: Schema.Number,
  used_at: Schema.NullOr(Schema.Number)
})
export type Passkey = typeof Passkey.Type

/**
 * The sha256 of an answered challenge, in hex. It is remembered, so that a challenge is accepted once. `until`: its end
 * in Unix ms.
 */
const Used = { challenge: Schema.String, until: Schema.Number }

const Passkeys = Schema.Struct({
  /** The newest number, never given again. */
  last: Schema.Int,
  kept: Schema.Array(Passkey),
  used: Schema.Array(Schema.Struct(Used))
})
export type Passkeys = typeof Passkeys.Type

/** A sponsorship of this person. The sponsorship's own actor knows its state. */
const Sponsored = Schema.Struct({
  id: Schema.Int,
  /** The agent's hub id. */
  agent: Schema.String,
  /** True until the end of the sponsorship is reported to the account. */
  open: Schema.Boolean
})

/** Ids of sponsorships that may be open. */
const Sponsorships = Schema.optionalKey(Schema.Array(Schema.Int))

const Logins = Schema.Struct({
  /** Keyed hashes of browser names. The one that was used last is at the end. */
  browsers: Schema.Array(Schema.String),
  /** Unix ms of the latest letter. */
  told_at: Schema.NullOr(Schema.Number)
})
export type Logins = typeof Logins.Type

/** The data that earlier accounts of the address have left, sealed (left-behind.ts). */
const LeftSealed = Schema.optionalKey(Sealed)

export const Human = Schema.Struct({
  status: Schema.Literal("active"),
  /** `{ name, email }`, see personal.ts. */
  personal: Sealed,
  /** The id of the address's actor. */
  address: Schema.String,
  email_verified: Schema.Boolean,
  password: Password,
  two_step: Schema.NullOr(TwoStep),
  /** A secret that was shown and not yet confirmed by a code, sealed. */
  offered: Schema.NullOr(Sealed),
  /** Absent in older accounts. */
  passkeys: Schema.optionalKey(Passkeys),
  sessions: Schema.Array(Session),
  roles: Schema.optionalKey(Schema.Array(HumanRole)),
  /** The number of sessions opened so far, from which their ids follow. */
  opened: Schema.Int,
  /** Absent if nobody has logged in since this was introduced. */
  logins: Schema.optionalKey(Logins),
  links: Schema.Array(Link),
  /** Unix ms of the latest letters with links, oldest first, by purpose. */
  letters: Schema.Struct({
    verify_address: Schema.Array(Schema.Number),
    reset_password: Schema.Array(Schema.Number)
  }),
  /** The newest sponsorship for each agent. Only the latest ended ones are kept. */
  sponsorships: Schema.Array(Sponsored),
  /** Hub ids of all agents that were made for the person, because their number is limited for life. */
  made: Schema.Array(Schema.String),
  left: LeftSealed,
  relay: RelayState,
  chat: ChatState,
  push: PushState,
  created_at: Schema.Number
})
export type Human = typeof Human.Type

/** The account was deleted; the state only shows that it existed. */
const Gone = Schema.Struct({ status: Schema.Literal("deleted") })

export const HumanState = Schema.NullOr(Schema.Union([Human, Gone]))
export type HumanState = typeof HumanState.Type

/** All times are Unix ms. */
export const HumanEvent = Schema.Union([
  event("human.registered", 1, {
    personal: Sealed,
    address: Schema.String,
    password: Password,
    former: Schema.optionalKey(FormerAccount),
    left: LeftSealed
  }),
  event("human.renamed", 1, { personal: Sealed }),
  event("human.link_made", 1, Link.fields),
  /** `ended`: sponsorships that a stranger declared before the owner of the address took over the account. */
  event("human.address_confirmed", 1, { sponsorships: Sponsorships, ended: Sponsorships }),
  event("human.password_changed", 1, { password: Password }),
  /** The same password was hashed with the present parameters. */
  event("human.password_renewed", 1, { password: Password }),
  event("human.link_used", 1, { purpose: LinkPurpose }),
  event("human.session_opened", 1, {
    session: Schema.Int,
    token: Schema.String,
    expires_at: Schema.Number,
    browser: Schema.optionalKey(Sealed),
    form: Schema.optionalKey(Schema.String),
    console: Schema.optionalKey(Schema.Literal(true)),
    /** The keyed hash of the browser's name, if it is to be remembered. */
    known: Schema.optionalKey(Schema.String),
    told: Schema.optionalKey(Schema.Literal(true))
  }),
  event("human.sessions_closed", 1, { sessions: Schema.Array(Schema.Int) }),
  event("human.role_changed", 1, { role: HumanRole, granted: Schema.Boolean, reason: Schema.String }),
  event("human.two_step_offered", 1, { sealed: Sealed }),
  event("human.two_step_enabled", 1, { sealed: Sealed, left: Schema.Int, step: Schema.Int }),
  event("human.two_step_disabled", 1),
  event("human.step_used", 1, { step: Schema.Int }),
  /** A recovery code was used, or all codes were replaced. */
  event("human.recovery_codes_changed", 1, { sealed: Sealed, left: Schema.Int }),
  event("human.passkey_added", 1, { passkey: Schema.Int, sealed: Sealed, ...Used }),
  event("human.passkey_used", 1, { passkey: Schema.Int, sealed: Sealed, ...Used }),
  event("human.passkey_removed", 1, { passkey: Schema.Int }),
  /** `made`: the agent was created for the person, together with a compartment. */
  event("human.declared", 1, {
    sponsorship: Schema.Int,
    agent: Schema.String,
    made: Schema.optionalKey(Schema.Literal(true))
  }),
  event("human.sponsorship_ended", 1, { sponsorship: Schema.Int }),
  ...RELAY_EVENTS,
  ...CHAT_EVENTS,
  ...PUSH_EVENTS,
  event("human.deleted", 1, { sponsorships: Sponsorships })
])
export type HumanEvent = typeof HumanEvent.Type

/** `logBytes`: counts the bytes that the person adds to the log in a day. */
export interface HumanMemory extends RequestMemory {
  readonly logBytes: DayBytes
}

export type HumanActor = ActorOf<HumanState, HumanEvent, HumanMemory>
