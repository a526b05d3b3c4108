/** The rows of an agent's mail journal. */
import { eventsOf } from "../engine/events.ts"
import type { Logged } from "../projections/projection.ts"
import { lineNumber } from "../tables/rows.ts"
import { MailboxEvent } from "./box/state.ts"
import { MailSendingEvent } from "./sending/state.ts"

export interface JournalRow {
  readonly id: number
  readonly agent: string
  readonly at: string
  readonly event: string
  readonly mailbox: number
  readonly mail: number | null
  /** The sender or the recipient. */
  readonly sealed: string | null
  readonly detail: string | null
}

type Entry = Pick<JournalRow, "agent" | "event" | "mailbox"> & Partial<Pick<JournalRow, "mail" | "sealed" | "detail">>

const OF_MAILBOX: Readonly<Partial<Record<MailboxEvent["type"], string>>> = {
  "mailbox.opened": "opened",
  "mailbox.received": "received",
  "mailbox.dropped": "dropped",
  "mailbox.closed": "closed"
}

const ofMailbox = (event: MailboxEvent, mailbox: number): Entry | null => {
  const name = OF_MAILBOX[event.type]
  if (name === undefined || !("agent" in event)) return null
  return {
    agent: event.agent,
    event: name,
    mailbox,
    mail: event.type === "mailbox.received" ? event.mail : null,
    sealed: sealedIn(event)
  }
}

const sealedIn = (event: MailboxEvent): string | null => {
  if (event.type === "mailbox.received") return event.from ?? null
  return event.type === "mailbox.dropped" ? event.sealed : null
}

const ofSending = (event: MailSendingEvent): Entry | null => {
  switch (event.type) {
    case "mail_sending.settled":
    case "mail_sending.reported": {
      const { agent, mailbox, mail, to: sealed, status, detail } = event
      return { agent, event: status, mailbox, mail, sealed, detail }
    }
    case "mail_sending.unsubscribed": {
      const { agent, mailbox, mail, to: sealed } = event
      return { agent, event: "unsubscribed", mailbox, mail, sealed }
    }
    default:
      return null
  }
}

const entriesOf = ({ kind, id, commit }: Logged): ReadonlyArray<Entry | null> => {
  if (kind === "mailbox") return eventsOf(MailboxEvent, commit).map((event) => ofMailbox(event, Number(id)))
  return kind === "mail_sending" ? eventsOf(MailSendingEvent, commit).map(ofSending) : []
}

export const journalOf = (logged: Logged): ReadonlyArray<JournalRow> => {
  const at = new Date(logged.commit.at).toISOString()
  return entriesOf(logged).flatMap((entry, index) =>
    entry === null ? [] : [{ id: lineNumber(logged.seq, index), at, mail: null, sealed: null, detail: null, ...entry }]
  )
}
