/**
 * Pure decisions: an agent opens and closes mailboxes.
 *
 * Invariants
 *  - Mailbox, address and the agent's list change in one commit. An address has one mailbox at most. It belongs to the
 *    agent that took it first, even after the mailbox was closed (spec 4.9). Addresses at an agent's own domain are an
 *    exception.
 */
import { refusal, type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { MailAddress, MailAddressEvent } from "../address/actor.ts"
import { addressId } from "../address/id.ts"
import { ERASE_TIMER, noMailbox } from "../box/decide.ts"
import type { MailboxEvent } from "../box/state.ts"
import { type Companion, type Decision, firing, type Timer } from "../../engine/definition.ts"
import type { FiredTimer } from "../../../schemas/timer.ts"
import { claimOf, type MailerEvent, type MailerState } from "./state.ts"

/** Another actor that this one writes to in its own commit, with that actor's present state and sequence. */
export interface At<State> {
  readonly seq: number
  readonly state: State
}

interface Opening {
  readonly local_part: string
  readonly domain: string
  readonly label: string | null
}

export interface OpenFacts {
  readonly mailbox: number
  readonly address: At<MailAddress>
  /** The claim of the agent's own domain; absent for the service's domain. */
  readonly claim?: number
  /** The agent's choices, sealed under the mailbox's key. */
  readonly chosen: string
}

const STILL_OPEN = unavailable("The mailbox of whoever had this domain is being closed. Try again in a moment.")

/** Why the agent cannot have the address; `null` if it can. */
const claimRefusal = (agent: string, { state }: At<MailAddress>): Refusal | null => {
  if (state === null) return null
  if (state.agent !== agent && state.custom === true) return state.mailbox === null ? null : STILL_OPEN
  if (state.agent !== agent) return refusal("email_address_taken", "This address belongs to another agent, for good.")
  if (state.mailbox === null) return null
  return refusal("email_mailbox_exists", "You have a mailbox at this address.", { mailbox_id: state.mailbox })
}

export const openRefusal = (
  { mailboxes }: MailerState,
  agent: string,
  address: At<MailAddress>,
  max: number
): Refusal | null => {
  const claimed = claimRefusal(agent, address)
  if (claimed !== null) return claimed
  return mailboxes.length < max
    ? null
    : refusal("email_mailbox_limit", `An agent has at most ${max} mailboxes.`, { max })
}

/** An address at an agent's own domain becomes free when its mailbox is closed. */
const customOf = ({ claim }: { readonly claim?: number }): { readonly custom?: true } =>
  claim === undefined ? {} : { custom: true }

export const decideOpen =
  (max: number) =>
  (
    state: MailerState,
    { local_part, domain }: Opening,
    { id: agent, facts }: { readonly id: string; readonly facts: OpenFacts }
  ): Decision<MailerEvent, { readonly mailbox: number }> => {
    const { mailbox, address: claim, chosen } = facts
    const refused = openRefusal(state, agent, claim, max)
    if (refused !== null) return { refused }
    const address = `${local_part}@${domain}`
    const taken: MailAddressEvent = { type: "mail_address.taken", v: 1, agent, mailbox, ...customOf(facts) }
    const opened: MailboxEvent = { type: "mailbox.opened", v: 1, agent, local_part, domain, chosen }
    return {
      events: [{ type: "mailer.mailbox_opened", v: 1, mailbox, address, ...claimOf(facts) }],
      reply: { mailbox },
      companions: [
        { kind: "mail_address", id: addressId(address), expected: claim.seq, events: [taken] },
        { kind: "mailbox", id: String(mailbox), expected: 0, events: [opened] }
      ]
    }
  }

/** The mailboxes to close, with the sequences of the last commits of mailbox and address. */
export interface CloseFacts {
  readonly closing: ReadonlyArray<{ readonly mailbox: number; readonly boxSeq: number; readonly addressSeq: number }>
}

export const CLOSE_TIMER = "close"

/**
 * Sets the time when a banned agent's mailboxes are closed. `banned`: Unix ms. A ban is never lifted, so the timer
 * stays.
 */
export const decideBanned = (
  { closes_at }: MailerState,
  { at: banned }: { readonly at: number },
  { at }: { readonly at: number },
  keptSeconds: number
): Decision<MailerEvent, null> => {
  if (closes_at !== null) return { events: [] }
  const closes = Math.max(at, banned + keptSeconds * 1000)
  return {
    events: [{ type: "mailer.ending", v: 1, closes_at: closes }],
    timers: [{ name: CLOSE_TIMER, at: closes }]
  }
}

export const decideClose = (
  { mailboxes }: MailerState,
  wanted: ReadonlyArray<number>,
  { id: agent, at, facts: { closing } }: { readonly id: string; readonly at: number; readonly facts: CloseFacts }
): Decision<MailerEvent, null> => {
  const found = mailboxes.filter(({ mailbox }) => wanted.includes(mailbox))
  if (found.length < wanted.length) return noMailbox
  const [companions, timers]: [Array<Companion>, Array<Timer>] = [[], []]
  for (const one of found) {
    const { mailbox, address } = one
    const stands = closing.find((at) => at.mailbox === mailbox)
    if (stands === undefined) return noMailbox
    const closed: MailboxEvent = { type: "mailbox.closed", v: 1, agent }
    const left: MailAddressEvent = { type: "mail_address.left", v: 1, agent, ...customOf(one) }
    companions.push(
      { kind: "mailbox", id: String(mailbox), expected: stands.boxSeq, events: [closed] },
      { kind: "mail_address", id: addressId(address), expected: stands.addressSeq, events: [left] }
    )
    timers.push({ name: ERASE_TIMER, at, of: { kind: "mailbox", id: String(mailbox) } })
  }
  return {
    events: found.map(({ mailbox }) => ({ type: "mailer.mailbox_closed", v: 1, mailbox })),
    companions,
    timers
  }
}

/** Closes every mailbox of a banned agent once its time has come. */
export const decideCloseTimer = (
  state: MailerState,
  fired: FiredTimer,
  context: Parameters<typeof decideClose>[2]
): Decision<MailerEvent, null> => {
  if (state.closes_at === null) return { events: [] }
  const when = firing(fired, state.closes_at, context.at)
  if (when === "early") return { refused: unavailable("The mailboxes of this banned agent are not due yet.") }
  return when === "due"
    ? decideClose(
        state,
        state.mailboxes.map(({ mailbox }) => mailbox),
        context
      )
    : { events: [] }
}
