/** Decisions on a mailbox (state.ts has the rules). Pure. */
import { notFound, type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { InboundSender, SealedMail } from "../../../schemas/mail/operations.ts"
import type { FiredTimer } from "../../../schemas/timer.ts"
import type { Decision } from "../../engine/definition.ts"
import { EXPIRE_TIMER } from "../message/decide.ts"
import type { MailMessageEvent } from "../message/state.ts"
import { type Counted, countedSince, DAY_MS, HOUR_MS, WEEK_MS } from "../counted.ts"
import { mayBeEarly } from "../early.ts"
import { loggedSeconds } from "../kept.ts"
import type { MailboxEvent, MailboxState, MailboxValue } from "./state.ts"

type MailLimits = Limits["limits"]["email"]
type Decided<Reply = null> = Decision<MailboxEvent, Reply>

export const ERASE_TIMER = "erase"

export const noMailbox: { readonly refused: Refusal } = { refused: notFound("mailbox") }

const PERCENT = 100

/** The part of a mailbox's daily count and bytes that a message may use. */
interface Shares {
  /** Messages a day that are reserved for nobody. */
  readonly unreserved: number
  /** Messages a day from one sender's domain. */
  readonly domain: number
  /** Bytes that are reserved for nobody. */
  readonly unreservedBytes: number
  /** Bytes from one sender's domain. */
  readonly domainBytes: number
}

export type BoxLimits = MailLimits & Pick<Limits["service"]["mail"], "reserved_percent" | "domain_percent">

const sharesOf = ({ inbound_per_day, mailbox_max_bytes, reserved_percent, domain_percent }: BoxLimits): Shares => ({
  unreserved: inbound_per_day - Math.floor((inbound_per_day * reserved_percent) / PERCENT),
  domain: Math.max(1, Math.floor((inbound_per_day * domain_percent) / PERCENT)),
  unreservedBytes: mailbox_max_bytes - Math.floor((mailbox_max_bytes * reserved_percent) / PERCENT),
  domainBytes: Math.floor((mailbox_max_bytes * domain_percent) / PERCENT)
})

const ofDay = (hours: Counted, at: number): number => countedSince(hours, at - DAY_MS - HOUR_MS)

export const storedBytes = ({ stored }: MailboxValue, at: number, { retention_seconds }: MailLimits): number =>
  countedSince(stored, at - retention_seconds * 1000 - DAY_MS)

/**
 * The reason that it takes no more mail from any sender; `null` if it does. `elsewhere`: bytes in the other mailboxes of
 * its agent.
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

type From = { readonly domain: string } | undefined

interface Taking {
  readonly sender?: From
  /** Size of the arriving message. */
  readonly bytes: number
}

const domainIsFull = (
  state: MailboxValue,
  { sender, bytes }: Taking,
  reserved: boolean,
  at: number,
  limits: BoxLimits
): boolean => {
  const { domain, domainBytes } = sharesOf(limits)
  const isIts = (one: { readonly domain: string; readonly reserved: boolean }): boolean =>
    one.domain === sender?.domain && one.reserved === reserved
  const hours = state.senders.find(isIts)?.hours ?? []
  const weeks = state.storedBy.find(isIts)?.weeks ?? []
  const stored = countedSince(weeks, at - limits.retention_seconds * 1000 - WEEK_MS)
  return ofDay(hours, at) >= domain || (stored > 0 && stored + bytes > domainBytes)
}

/** True if an unreserved place is free. The agent need not know the sender then. */
export const hasOpenPlace = (state: MailboxValue, taking: Taking, at: number, limits: BoxLimits): boolean => {
  const { unreserved, unreservedBytes } = sharesOf(limits)
  return (
    ofDay(state.unreserved, at) < unreserved &&
    storedBytes(state, at, limits) + taking.bytes <= unreservedBytes &&
    !domainIsFull(state, taking, false, at, limits)
  )
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
  /** The agent allows the sender, or wrote to it before. */
  readonly isKnown: boolean
  /** Bytes in the other mailboxes of its agent. */
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
  const taking = { sender, bytes }
  const reserved = !hasOpenPlace(state, taking, at, limits)
  // Strangers at a domain take nothing of the share of those whom the agent knows there.
  if (reserved && (!isKnown || domainIsFull(state, taking, true, at, limits))) return { refused: FULL }
  const { agent } = state
  const received: MailMessageEvent = { type: "mail.received", v: 1, agent, mailbox: Number(id), ...mail }
  const of = { kind: "mail", id: String(number) }
  return {
    events: [
      {
        type: "mailbox.received",
        v: 1,
        agent,
        mail: number,
        bytes,
        ...(sender === undefined ? {} : { domain: sender.domain }),
        ...(from === undefined ? {} : { from }),
        ...(reserved ? { reserved } : {})
      }
    ],
    reply: { mail: number },
    also: [{ ...of, expected: 0, events: [received], keepSeconds: loggedSeconds(limits) }],
    timers: [{ name: EXPIRE_TIMER, at: at + limits.retention_seconds * 1000, of }]
  }
}

/** `sealed`: who sent it. These have a count of their own, so that nobody fills the log with what is not wanted. */
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

/** `facts`: what it will say, sealed. */
export const decideChange = (
  state: MailboxState,
  { agent }: { readonly agent: string },
  { facts }: { readonly facts: string }
): Decided => {
  if (state === null || state.agent !== agent || state.status !== "active") return noMailbox
  return state.chosen === facts ? { events: [] } : { events: [{ type: "mailbox.changed", v: 1, agent, chosen: facts }] }
}

/** Key and mail are erased by then. */
export const decideErase = (state: MailboxState, fired: FiredTimer, { at }: { readonly at: number }): Decided => {
  if (fired.name !== ERASE_TIMER) return { events: [] }
  if (state?.status === "closed") return { events: [{ type: "mailbox.erased", v: 1 }] }
  // Set before the commit that closes it: it may be early, but not for long.
  const isEarly = state?.status === "active" && mayBeEarly(fired, at)
  return isEarly ? { refused: unavailable("The mailbox is not closed.") } : { events: [] }
}
