/** Decisions on a mailbox (state.ts has the rules). Pure. */
import { notFound, type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { SealedMail } from "../../../schemas/mail/operations.ts"
import type { FiredTimer } from "../../../schemas/timer.ts"
import type { Decision } from "../../engine/definition.ts"
import { EXPIRE_TIMER } from "../message/decide.ts"
import type { MailMessageEvent } from "../message/state.ts"
import { countedSince, DAY_MS, HOUR_MS } from "../counted.ts"
import { mayBeEarly } from "../early.ts"
import type { MailboxEvent, MailboxState, MailboxValue } from "./state.ts"

type MailLimits = Limits["limits"]["email"]
type Decided<Reply = null> = Decision<MailboxEvent, Reply>

export const ERASE_TIMER = "erase"

export const noMailbox: { readonly refused: Refusal } = { refused: notFound("mailbox") }

/** Why it takes nothing more now; `null` where it does. */
export const fullness = (
  { inbound, stored }: MailboxValue,
  at: number,
  { inbound_per_day, mailbox_max_bytes, retention_seconds }: MailLimits
): "day" | "bytes" | null => {
  if (countedSince(inbound, at - DAY_MS - HOUR_MS) >= inbound_per_day) return "day"
  const keptSince = at - retention_seconds * 1000 - DAY_MS
  return countedSince(stored, keptSince) >= mailbox_max_bytes ? "bytes" : null
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
}

/** The log forgets a message a day after its row is gone. */
const LOGGED_LONGER_SECONDS = 86_400

export const decideReceive = (
  state: MailboxState,
  { number, bytes, mail }: Receiving,
  { id, at }: { readonly id: string; readonly at: number },
  limits: MailLimits
): Decided<{ readonly mail: number }> => {
  if (state === null || state.status !== "active") return noMailbox
  if (fullness(state, at, limits) !== null) return { refused: FULL }
  const { agent } = state
  const received: MailMessageEvent = { type: "mail.received", v: 1, agent, mailbox: Number(id), ...mail }
  const of = { kind: "mail", id: String(number) }
  return {
    events: [{ type: "mailbox.received", v: 1, agent, mail: number, bytes }],
    reply: { mail: number },
    also: [{ ...of, expected: 0, events: [received], keepSeconds: limits.retention_seconds + LOGGED_LONGER_SECONDS }],
    timers: [{ name: EXPIRE_TIMER, at: at + limits.retention_seconds * 1000, of }]
  }
}

/** `sealed`: who sent it. Counts as one that came in, so that nobody fills the log with what is not wanted. */
export const decideDrop = (
  state: MailboxState,
  { sealed }: { readonly sealed: string },
  { at }: { readonly at: number },
  limits: MailLimits
): Decided => {
  if (state === null || state.status !== "active") return noMailbox
  if (fullness(state, at, limits) === "day") return { refused: FULL }
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
