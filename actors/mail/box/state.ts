/**
 * A mailbox and its events (spec 2.9, 4.9). `null`: never opened.
 *
 * Invariants
 *  - What the agent chose, and whose mail was dropped, stands in it sealed under the mailbox's key.
 *  - `inbound` counts what came in by hours, `stored` what is kept by days: neither grows with time.
 *  - Closed, it takes nothing, and is never open again; its key and its mail are erased by a timer, which comes again
 *    until that is done.
 */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import { SealedMail } from "../../../schemas/mail/operations.ts"
import { Sealed } from "../../../schemas/secret/sealed.ts"
import type { ActorOf } from "../../kind.ts"
import { Counted, counted, DAY_MS, HOUR_MS } from "../counted.ts"
import { madeFields, tagFields, withoutTag, withTag } from "./tag-state.ts"

const opened = {
  agent: Schema.String,
  local_part: Schema.String,
  domain: Schema.String,
  /** `Chosen` of keys.ts. */
  chosen: Sealed
}

export const MailboxValue = Schema.Struct({
  ...opened,
  status: Schema.Literals(["active", "closed", "erased"]),
  created_at: Schema.Number,
  inbound: Counted,
  /** Bytes. */
  stored: Counted,
  ...tagFields
})
export type MailboxValue = typeof MailboxValue.Type

export const MailboxState = Schema.NullOr(MailboxValue)
export type MailboxState = typeof MailboxState.Type

export const MailboxEvent = Schema.Union([
  event("mailbox.opened", 1, opened),
  event("mailbox.changed", 1, { agent: Schema.String, chosen: Sealed }),
  event("mailbox.received", 1, { agent: Schema.String, mail: Schema.Int, bytes: Schema.Int }),
  event("mailbox.dropped", 1, { agent: Schema.String, sealed: Sealed }),
  event("mailbox.tag_made", 1, madeFields),
  event("mailbox.tag_ended", 1, { agent: Schema.String, mark: Schema.String }),
  event("mailbox.closed", 1, { agent: Schema.String }),
  event("mailbox.erased", 1)
])
export type MailboxEvent = typeof MailboxEvent.Type

export type MailboxActor = ActorOf<MailboxState, MailboxEvent>

/** Fields of a message as it is begun: the mail process has sealed them. */
export const receivedFields = { agent: Schema.String, mailbox: Schema.Int, ...SealedMail.fields }

/** With the one that began a day ago: it may reach into the day. */
const HOURS = 25

/** What is kept for longer than any retention may be is not counted for ever. */
const STORED_DAYS_MAX = 400

export const evolveMailbox = (
  state: MailboxState,
  event: MailboxEvent,
  { at }: { readonly at: number }
): MailboxState => {
  if (event.type === "mailbox.opened") {
    const { agent, local_part, domain, chosen } = event
    const nothing = { inbound: [], stored: [], tags: [], ended: [] }
    return { agent, local_part, domain, chosen, status: "active", created_at: at, ...nothing }
  }
  if (state === null) return null
  switch (event.type) {
    case "mailbox.changed":
      return { ...state, chosen: event.chosen }
    case "mailbox.received":
      return {
        ...state,
        inbound: counted(state.inbound, 1, at, HOUR_MS, HOURS),
        stored: counted(state.stored, event.bytes, at, DAY_MS, STORED_DAYS_MAX)
      }
    case "mailbox.dropped":
      return { ...state, inbound: counted(state.inbound, 1, at, HOUR_MS, HOURS) }
    case "mailbox.tag_made": {
      const { mark, sealed, drawn, expires_at } = event
      return { ...state, ...withTag(state, { mark, sealed, drawn, expires_at }, at) }
    }
    case "mailbox.tag_ended":
      return { ...state, ...withoutTag(state, event.mark, at) }
    case "mailbox.closed":
      return { ...state, status: "closed" }
    case "mailbox.erased":
      return { ...state, status: "erased", chosen: "", inbound: [], stored: [], tags: [], ended: [] }
  }
}
