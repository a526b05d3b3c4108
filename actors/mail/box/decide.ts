/** Decisions on a mailbox (state.ts has the rules). Pure. */
import { notFound, type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { InboundSender, SealedMail } from "../../../schemas/mail/operations.ts"
import type { FiredTimer } from "../../../schemas/timer.ts"
import type { Decision } from "../../engine/definition.ts"
import { EXPIRE_TIMER } from "../message/decide.ts"
import type { MailMessageEvent } from "../message/state.ts"
import { type MailCounts, countedSince, DAY_MS, HOUR_MS, WEEK_MS } from "../counted.ts"
import { mayBeEarly } from "../early.ts"
import { loggedSeconds } from "../retention.ts"
import { evolveMailbox, type MailboxEvent, type MailboxState, type MailboxValue } from "./state.ts"

type MailLimits = Limits["limits"]["email"]
type Decided<Reply = null> = Decision<MailboxEvent, Reply>

export const ERASE_TIMER = "erase"

export const noMailbox: { readonly refused: Refusal } = { refused: notFound("mailbox") }

const PERCENT = 100

/** The limits of a mailbox's daily messages and of its bytes, for kinds of senders. */
interface Shares {
  /** Messages a day that are not reserved. */
  readonly unreserved: number
  /** Messages a day from one sender's domain. */
  readonly domain: number
  /** Messages a day from all senders that DMARC does not prove. */
  readonly unproven: number
  /** Messages a day: from one newcomer, from all newcomers, and from all newcomers and unproven senders together. */
  readonly newcomer: number
  readonly newcomers: number
  readonly unestablished: number
  /** Bytes that are not reserved. */
  readonly unreservedBytes: number
  /** Bytes in all mailboxes of the agent that are not reserved. */
  readonly agentUnreservedBytes: number
  /** Bytes from one sender's domain. */
  readonly domainBytes: number
  /** Bytes from all senders that DMARC does not prove. */
  readonly unprovenBytes: number
  /** Bytes: from one newcomer, from all newcomers, and from all newcomers and unproven senders together. */
  readonly newcomerBytes: number
  readonly newcomersBytes: number
  readonly unestablishedBytes: number
}

export type BoxLimits = MailLimits &
  Pick<
    Limits["service"]["mail"],
    | "reserved_percent"
    | "domain_percent"
    | "unproven_percent"
    | "newcomer_percent"
    | "newcomers_percent"
    | "unestablished_percent"
  >

const partOf = (whole: number, percent: number): number => Math.floor((whole * percent) / PERCENT)

const sharesOf = (limits: BoxLimits): Shares => {
  const { inbound_per_day, mailbox_max_bytes, agent_max_bytes } = limits
  const { reserved_percent, domain_percent, unproven_percent } = limits
  const { newcomer_percent, newcomers_percent, unestablished_percent } = limits
  const messages = (percent: number): number => Math.max(1, partOf(inbound_per_day, percent))
  const bytes = (percent: number): number => partOf(mailbox_max_bytes, percent)
  return {
    unreserved: inbound_per_day - partOf(inbound_per_day, reserved_percent),
    domain: messages(domain_percent),
    unproven: messages(unproven_percent),
    newcomer: messages(newcomer_percent),
    newcomers: messages(newcomers_percent),
    unestablished: messages(unestablished_percent),
    unreservedBytes: mailbox_max_bytes - bytes(reserved_percent),
    agentUnreservedBytes: agent_max_bytes - partOf(agent_max_bytes, reserved_percent),
    domainBytes: bytes(domain_percent),
    unprovenBytes: bytes(unproven_percent),
    newcomerBytes: bytes(newcomer_percent),
    newcomersBytes: bytes(newcomers_percent),
    unestablishedBytes: bytes(unestablished_percent)
  }
}

const ofDay = (hours: MailCounts, at: number): number => countedSince(hours, at - DAY_MS - HOUR_MS)

const keptOf = (bytes: MailCounts, at: number, { retention_seconds }: MailLimits): number =>
  countedSince(bytes, at - retention_seconds * 1000 - DAY_MS)

export const storedBytes = ({ stored }: MailboxValue, at: number, limits: MailLimits): number =>
  keptOf(stored, at, limits)

/**
 * The reason why the mailbox takes no more mail from any sender; `null` if it takes some. `elsewhere`: bytes in the
 * agent's other mailboxes.
 */
export const fullness = (
  state: MailboxValue,
  elsewhere: number,
  at: number,
  limits: MailLimits
): "day" | "bytes" | null => {
  if (ofDay(state.inbound, at) >= limits.inbound_per_day) return "day"
  const stored = storedBytes(state, at, limits)
  return stored >= limits.mailbox_max_bytes || stored + elsewhere >= limits.agent_max_bytes ? "bytes" : null
}

type From = Pick<InboundSender, "domain" | "proven"> | undefined

interface Taking {
  readonly sender?: From
  /** True if the agent allows the sender, or is known to have written to it. */
  readonly isKnown: boolean
  readonly bytes: number
  /** Bytes in the agent's other mailboxes. */
  readonly elsewhere: number
}

/** `undefined`: a mail process of an earlier release, which does not name the sender. */
const isUnproven = (sender: From): boolean => sender !== undefined && sender.proven.length === 0

const isNewcomer = (
  { known }: MailboxValue,
  { sender, isKnown }: Pick<Taking, "sender" | "isKnown">,
  at: number
): boolean =>
  sender !== undefined &&
  !isKnown &&
  !isUnproven(sender) &&
  !known.some(({ domain, since }) => domain === sender.domain && since <= at - DAY_MS)

const domainIsFull = (
  state: MailboxValue,
  taking: Taking,
  reserved: boolean,
  at: number,
  limits: BoxLimits
): boolean => {
  const { sender, bytes } = taking
  const shares = sharesOf(limits)
  const isNew = !reserved && isNewcomer(state, taking, at)
  const [most, mostBytes] = isNew ? [shares.newcomer, shares.newcomerBytes] : [shares.domain, shares.domainBytes]
  const isIts = (one: { readonly domain: string; readonly reserved: boolean }): boolean =>
    one.domain === sender?.domain && one.reserved === reserved
  const hours = state.senders.find(isIts)?.hours ?? []
  const weeks = state.storedBy.find(isIts)?.weeks ?? []
  const stored = countedSince(weeks, at - limits.retention_seconds * 1000 - WEEK_MS)
  return ofDay(hours, at) >= most || (stored > 0 && stored + bytes > mostBytes)
}

/**
 * True if the sender is unproven or a newcomer, and its group has used its share, or both groups together have theirs.
 */
const groupIsFull = (state: MailboxValue, taking: Taking, at: number, limits: BoxLimits): boolean => {
  const isNew = isNewcomer(state, taking, at)
  if (!isNew && !isUnproven(taking.sender)) return false
  const { bytes } = taking
  const shares = sharesOf(limits)
  const unproven = { messages: ofDay(state.unproven, at), bytes: keptOf(state.storedUnproven, at, limits) }
  const newcomers = { messages: ofDay(state.newcomers, at), bytes: keptOf(state.storedNewcomers, at, limits) }
  const [own, most, mostBytes] = isNew
    ? [newcomers, shares.newcomers, shares.newcomersBytes]
    : [unproven, shares.unproven, shares.unprovenBytes]
  const stored = unproven.bytes + newcomers.bytes
  return (
    own.messages >= most ||
    unproven.messages + newcomers.messages >= shares.unestablished ||
    (own.bytes > 0 && own.bytes + bytes > mostBytes) ||
    (stored > 0 && stored + bytes > shares.unestablishedBytes)
  )
}

/** True if an unreserved place is free. The agent need not know the sender then. */
export const hasOpenPlace = (state: MailboxValue, taking: Taking, at: number, limits: BoxLimits): boolean => {
  const { unreserved, unreservedBytes, agentUnreservedBytes } = sharesOf(limits)
  const stored = storedBytes(state, at, limits) + taking.bytes
  return (
    ofDay(state.unreserved, at) < unreserved &&
    stored <= unreservedBytes &&
    stored + taking.elsewhere <= agentUnreservedBytes &&
    !domainIsFull(state, taking, false, at, limits) &&
    !groupIsFull(state, taking, at, limits)
  )
}

/** Stands for a sender without a domain: no domain has this mark. */
const STRANGER: From = { domain: "", proven: [] }

/**
 * True if the message uses up the last space for a sender that DMARC does not prove. The agent is notified of that, at
 * most once a day.
 */
const fills = (
  state: MailboxValue,
  event: Extract<MailboxEvent, { type: "mailbox.received" }>,
  elsewhere: number,
  at: number,
  limits: BoxLimits
): boolean => {
  if (state.filled_at !== null && state.filled_at > at - DAY_MS) return false
  const taking = { sender: STRANGER, isKnown: false, bytes: event.bytes, elsewhere }
  const after = evolveMailbox(state, event, { at })
  return hasOpenPlace(state, taking, at, limits) && after !== null && !hasOpenPlace(after, taking, at, limits)
}

const FULL: Refusal = {
  code: "rate_limited",
  message: "This mailbox takes no more mail at the moment.",
  retryAfter: HOUR_MS / 1000
}

interface Receiving {
  readonly number: number
  readonly bytes: number
  readonly mail: SealedMail
  readonly sender?: InboundSender
  readonly from?: string
}

export interface ReceiveFacts {
  /**
   * True if the agent allows the sender, or has written to it. The latter is looked up only if no unreserved place is
   * free.
   */
  readonly isKnown: boolean
  /** Bytes in the agent's other mailboxes. */
  readonly elsewhere: number
}

export const decideReceive = (
  state: MailboxState,
  { number, bytes, mail, sender, from }: Receiving,
  { id, at, facts: { isKnown, elsewhere } }: { readonly id: string; readonly at: number; readonly facts: ReceiveFacts },
  limits: BoxLimits
): Decided<{ readonly mail: number }> => {
  if (state === null || state.status !== "active") return noMailbox
  if (fullness(state, elsewhere, at, limits) !== null) return { refused: FULL }
  const whole = storedBytes(state, at, limits) + bytes
  if (whole > limits.mailbox_max_bytes || whole + elsewhere > limits.agent_max_bytes) return { refused: FULL }
  const taking = { sender, isKnown, bytes, elsewhere }
  const reserved = !hasOpenPlace(state, taking, at, limits)
  // Unknown senders at a domain must not use the share of the senders there that the agent knows.
  if (reserved && (!isKnown || domainIsFull(state, taking, true, at, limits))) return { refused: FULL }
  const { agent } = state
  const received: MailMessageEvent = { type: "mail.received", v: 1, agent, mailbox: Number(id), ...mail }
  const of = { kind: "mail", id: String(number) }
  const event: Extract<MailboxEvent, { type: "mailbox.received" }> = {
    type: "mailbox.received",
    v: 1,
    agent,
    mail: number,
    bytes,
    ...(sender === undefined ? {} : { domain: sender.domain }),
    ...(from === undefined ? {} : { from }),
    ...(reserved ? { reserved } : {}),
    ...(isUnproven(sender) ? { unproven: true } : {}),
    ...(isNewcomer(state, taking, at) ? { newcomer: true } : {})
  }
  return {
    events: [fills(state, event, elsewhere, at, limits) ? { ...event, filled: true } : event],
    reply: { mail: number },
    companions: [{ ...of, expected: 0, events: [received], keepSeconds: loggedSeconds(limits) }],
    timers: [{ name: EXPIRE_TIMER, at: at + limits.retention_seconds * 1000, of }]
  }
}

/**
 * `sealed`: the sender and the rule. Dropped messages have a daily limit of their own, so that they cannot fill the
 * log.
 */
export const decideDrop = (
  state: MailboxState,
  { sealed }: { readonly sealed: string },
  { at }: { readonly at: number },
  limits: MailLimits
): Decided => {
  if (state === null || state.status !== "active") return noMailbox
  if (ofDay(state.dropped, at) >= limits.dropped_per_day) return { refused: FULL }
  return { events: [{ type: "mailbox.dropped", v: 1, agent: state.agent, sealed }] }
}

/** `facts`: the new content of the settings, sealed. */
export const decideChange = (
  state: MailboxState,
  { agent }: { readonly agent: string },
  { facts }: { readonly facts: string }
): Decided => {
  if (state === null || state.agent !== agent || state.status !== "active") return noMailbox
  return state.chosen === facts ? { events: [] } : { events: [{ type: "mailbox.changed", v: 1, agent, chosen: facts }] }
}

/** Records that the key and the mail are erased, which is done before this decision. */
export const decideErase = (state: MailboxState, fired: FiredTimer, { at }: { readonly at: number }): Decided => {
  if (fired.name !== ERASE_TIMER) return { events: [] }
  if (state?.status === "closed") return { events: [{ type: "mailbox.erased", v: 1 }] }
  // The timer is set before the commit that closes the mailbox, so it may fire before that commit, but only by a
  // little.
  const isEarly = state?.status === "active" && mayBeEarly(fired, at)
  return isEarly ? { refused: unavailable("The mailbox is not closed.") } : { events: [] }
}
