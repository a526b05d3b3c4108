/**
 * A mailbox and its events (spec 2.9, 4.9). `null`: never opened.
 *
 * Invariants
 *  - The agent's choices, and the senders of dropped mail, are sealed under the mailbox's key.
 *  - `inbound`, `senders` and `dropped` count incoming mail by hours, `stored` counts kept mail by days, and `storedBy`
 *    by weeks. None of them grows with time.
 *  - A closed mailbox takes no mail and is never opened again. A timer erases its key and its mail, and is repeated
 *    until that has succeeded.
 */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import { SealedMail } from "../../../schemas/mail/operations.ts"
import { Sealed } from "../../../schemas/secret/sealed.ts"
import type { ActorOf } from "../../kit/kind.ts"
import { MailCounts, counted, countedSince, DAY_MS, HOUR_MS, WEEK_MS } from "../counted.ts"
import { madeFields, tagFields, withoutTag, withTag } from "./tag-state.ts"

const opened = {
  agent: Schema.String,
  local_part: Schema.String,
  domain: Schema.String,
  /** The `Chosen` of keys.ts, sealed. */
  chosen: Sealed
}

export const MailboxValue = Schema.Struct({
  ...opened,
  status: Schema.Literals(["active", "closed", "erased"]),
  created_at: Schema.Number,
  inbound: MailCounts,
  /** The part of `inbound` that used no reserved place (decide.ts). */
  unreserved: MailCounts,
  /** The part of `unreserved` whose sender DMARC did not prove. */
  unproven: MailCounts,
  /** The part of `unreserved` whose domain DMARC proved, and which was new to the mailbox. */
  newcomers: MailCounts,
  /**
   * Marks of the proven domains whose mail the mailbox took, with the time of the first message (Unix ms). The domain
   * that wrote most recently is last.
   */
  known: Schema.Array(Schema.Struct({ domain: Schema.String, since: Schema.Number })),
  /** Messages of the last day by the sender's domain. */
  senders: Schema.Array(Schema.Struct({ domain: Schema.String, reserved: Schema.Boolean, hours: MailCounts })),
  /** Messages that the mailbox's own rules dropped. */
  dropped: MailCounts,
  /** Bytes of kept mail, by days. */
  stored: MailCounts,
  /** The part of `stored` that used no reserved space and whose sender DMARC did not prove. */
  storedUnproven: MailCounts,
  /** The part of `stored` that used no reserved space and whose domain was new. */
  storedNewcomers: MailCounts,
  /** Unix ms of the last notification to the agent that unproven mail is refused; `null` if there was none. */
  filled_at: Schema.NullOr(Schema.Number),
  /** The part of `stored` by the sender's domain, in weeks, for the domains that sent most. */
  storedBy: Schema.Array(Schema.Struct({ domain: Schema.String, reserved: Schema.Boolean, weeks: MailCounts })),
  ...tagFields
})
export type MailboxValue = typeof MailboxValue.Type

export const MailboxState = Schema.NullOr(MailboxValue)
export type MailboxState = typeof MailboxState.Type

export const MailboxEvent = Schema.Union([
  event("mailbox.opened", 1, opened),
  event("mailbox.changed", 1, { agent: Schema.String, chosen: Sealed }),
  /**
   * `domain`: keyed hash of the sender's domain. `from`: the sender. `reserved`: the message took one of the reserved
   * places. `unproven`: DMARC did not prove its sender. `newcomer`: DMARC proved the sender, and its domain was new.
   * `filled`: no place is left for unproven senders, and the agent is notified.
   */
  event("mailbox.received", 1, {
    agent: Schema.String,
    mail: Schema.Int,
    bytes: Schema.Int,
    domain: Schema.optionalKey(Schema.String),
    from: Schema.optionalKey(Sealed),
    reserved: Schema.optionalKey(Schema.Boolean),
    unproven: Schema.optionalKey(Schema.Boolean),
    newcomer: Schema.optionalKey(Schema.Boolean),
    filled: Schema.optionalKey(Schema.Boolean)
  }),
  event("mailbox.dropped", 1, { agent: Schema.String, sealed: Sealed }),
  event("mailbox.tag_made", 1, madeFields),
  event("mailbox.tag_ended", 1, { agent: Schema.String, mark: Schema.String }),
  event("mailbox.closed", 1, { agent: Schema.String }),
  event("mailbox.erased", 1)
])
export type MailboxEvent = typeof MailboxEvent.Type

export type MailboxActor = ActorOf<MailboxState, MailboxEvent>

/** The fields that a received message is created with. The mail process has sealed them. */
export const receivedFields = { agent: Schema.String, mailbox: Schema.Int, ...SealedMail.fields }

/** The window of a day includes the hour in which it begins. */
const HOURS = 25

/** Counts of bytes are dropped after this time, which is longer than any retention. */
const STORED_DAYS_MAX = 400
const STORED_WEEKS_MAX = Math.ceil((STORED_DAYS_MAX * DAY_MS) / WEEK_MS)

/**
 * The number of domains whose bytes are counted. A further domain replaces the one with the fewest bytes. That one has
 * at most a 32nd of the mailbox's content, far below the half that a domain may use.
 */
const STORED_BY_MAX = 32

/**
 * The number of known domains. A further domain replaces the one that was silent for longest, which then counts as new
 * again. This happens within a day only if more than 128 proven domains write.
 */
const KNOWN_MAX = 128

const NOTHING = {
  inbound: [],
  unreserved: [],
  unproven: [],
  newcomers: [],
  known: [],
  senders: [],
  dropped: [],
  stored: [],
  storedUnproven: [],
  storedNewcomers: [],
  filled_at: null,
  storedBy: [],
  tags: [],
  ended: []
}

export const evolveMailbox = (
  state: MailboxState,
  event: MailboxEvent,
  { at }: { readonly at: number }
): MailboxState => {
  if (event.type === "mailbox.opened") {
    const { agent, local_part, domain, chosen } = event
    return { agent, local_part, domain, chosen, status: "active", created_at: at, ...NOTHING }
  }
  if (state === null) return null
  switch (event.type) {
    case "mailbox.changed":
      return { ...state, chosen: event.chosen }
    case "mailbox.received": {
      const { bytes, domain, reserved = false } = event
      const isUnproven = event.unproven === true && !reserved
      const isNewcomer = event.newcomer === true && !reserved
      return {
        ...state,
        inbound: counted(state.inbound, 1, at, HOUR_MS, HOURS),
        unreserved: reserved ? state.unreserved : counted(state.unreserved, 1, at, HOUR_MS, HOURS),
        unproven: isUnproven ? counted(state.unproven, 1, at, HOUR_MS, HOURS) : state.unproven,
        storedUnproven: isUnproven
          ? counted(state.storedUnproven, bytes, at, DAY_MS, STORED_DAYS_MAX)
          : state.storedUnproven,
        newcomers: isNewcomer ? counted(state.newcomers, 1, at, HOUR_MS, HOURS) : state.newcomers,
        storedNewcomers: isNewcomer
          ? counted(state.storedNewcomers, bytes, at, DAY_MS, STORED_DAYS_MAX)
          : state.storedNewcomers,
        known: domain === undefined || event.unproven === true ? state.known : withKnown(state.known, domain, at),
        filled_at: event.filled === true ? at : state.filled_at,
        senders: domain === undefined ? state.senders : withSender(state.senders, { domain, reserved }, at),
        stored: counted(state.stored, bytes, at, DAY_MS, STORED_DAYS_MAX),
        storedBy: domain === undefined ? state.storedBy : withStored(state.storedBy, { domain, reserved }, bytes, at)
      }
    }
    case "mailbox.dropped":
      return { ...state, dropped: counted(state.dropped, 1, at, HOUR_MS, HOURS) }
    case "mailbox.tag_made": {
      const { mark, sealed, drawn, expires_at } = event
      return { ...state, ...withTag(state, { mark, sealed, drawn, expires_at }, at) }
    }
    case "mailbox.tag_ended":
      return { ...state, ...withoutTag(state, event.mark, at) }
    case "mailbox.closed":
      return { ...state, status: "closed" }
    case "mailbox.erased":
      return { ...state, status: "erased", chosen: "", ...NOTHING }
  }
}

type KnownCorrespondents = MailboxValue["known"]

const withKnown = (all: KnownCorrespondents, domain: string, at: number): KnownCorrespondents => {
  const since = all.find((one) => one.domain === domain)?.since ?? at
  return [...all.filter((one) => one.domain !== domain), { domain, since }].slice(-KNOWN_MAX)
}

type Senders = MailboxValue["senders"]

/** Adds one message. The list never has more entries than messages came within the day. */
const withSender = (all: Senders, { domain, reserved }: Omit<Senders[number], "hours">, at: number): Senders => {
  const isIt = (one: Senders[number]): boolean => one.domain === domain && one.reserved === reserved
  const before = all.find(isIt)?.hours ?? []
  const others = all.filter((one) => !isIt(one) && countedSince(one.hours, at - HOURS * HOUR_MS) > 0)
  return [...others, { domain, reserved, hours: counted(before, 1, at, HOUR_MS, HOURS) }]
}

type StoredBy = MailboxValue["storedBy"]

const withStored = (all: StoredBy, of: Omit<StoredBy[number], "weeks">, bytes: number, at: number): StoredBy => {
  const isIt = (one: StoredBy[number]): boolean => one.domain === of.domain && one.reserved === of.reserved
  const before = all.find(isIt)?.weeks ?? []
  const now = { ...of, weeks: counted(before, bytes, at, WEEK_MS, STORED_WEEKS_MAX) }
  const others = all.filter((one) => !isIt(one))
  if (others.length < STORED_BY_MAX) return [...others, now]
  const bytesOf = ({ weeks }: StoredBy[number]): number => countedSince(weeks, at - STORED_WEEKS_MAX * WEEK_MS)
  const least = others.reduce((found, one) => (bytesOf(one) < bytesOf(found) ? one : found))
  return [...others.filter((one) => one !== least), now]
}
