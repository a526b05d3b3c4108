/**
 * The tables of mail: sealed messages, the outcomes of sent ones, suppressed recipients, and the journals of mailboxes.
 */
import { sql, type Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson } from "../tables/rows.ts"
import { MailboxEvent } from "./box/state.ts"
import { type JournalRow, journalOf } from "./journal.ts"
import { MailMessageEvent } from "./message/state.ts"
import { MailRecipientEvent } from "./recipient/actor.ts"
import { MAIL_SENDING_EVENTS, MailSendingEvent } from "./sending/state.ts"

const journaled = (rows: ReadonlyArray<JournalRow>, trx: Transaction<Database>) =>
  sql`
  insert into mail_events (id, agent, at, event, mailbox, mail, sealed, detail)
  select id, agent, at, event, mailbox, mail, sealed, detail
  from jsonb_populate_recordset(null::mail_events, ${rowsJson(rows)}::jsonb)
  on conflict (id) do nothing`.execute(trx)

type FirstEvent = Extract<MailMessageEvent, { type: "mail.received" | "mail.queued" }>

const begin = async (trx: Transaction<Database>, id: string, at: string, event: FirstEvent): Promise<void> => {
  const { agent, mailbox, envelope, words, own, follows } = event
  const isSent = event.type === "mail.queued"
  const root =
    follows.length === 0
      ? sql`null::bigint`
      : sql`(select thread from mails where agent = ${agent} and own = any(${[...follows]}::text[]) order by id limit 1)`
  await sql`
    insert into mails (id, agent, mailbox, box, thread, received_at, read_at, envelope, words, own, lets_in)
    values (${id}, ${agent}, ${mailbox}, ${isSent ? "sent" : "inbox"}, coalesce(${root}, ${id}::bigint), ${at},
      ${isSent ? at : null}, ${envelope}, ${[...words]}::text[], ${own}, ${!isSent && event.lets_in})
    on conflict (id) do nothing`.execute(trx)
}

/** Applies commits in the order of the log, because a message may answer another one of the same batch. */
const applyMail = async (trx: Transaction<Database>, { id, commit }: Logged): Promise<void> => {
  const at = new Date(commit.at).toISOString()
  for (const event of eventsOf(MailMessageEvent, commit)) {
    if (event.type === "mail.expired") {
      await sql`delete from mail_sendings where mail = ${id}`.execute(trx)
      await sql`delete from mails where id = ${id}`.execute(trx)
    } else if (event.type === "mail.read")
      await sql`update mails set read_at = coalesce(read_at, ${at}) where id = ${id}`.execute(trx)
    else await begin(trx, id, at, event)
  }
}

const applySending = async (trx: Transaction<Database>, { id, commit }: Logged): Promise<void> => {
  const [mail, n] = id.split("-").map(Number)
  for (const event of eventsOf(MailSendingEvent, commit)) {
    if (event.type === "mail_sending.queued")
      await sql`
        insert into mail_sendings (mail, n, status) values (${mail}, ${n}, 'queued') on conflict do nothing`.execute(
        trx
      )
    else if (event.type === "mail_sending.put_off")
      await sql`
        update mail_sendings set status = 'queued', detail = ${event.reason} where mail = ${mail} and n = ${n}`.execute(
        trx
      )
    else if (event.type === "mail_sending.settled" || event.type === "mail_sending.reported") {
      const unknown = event.type === "mail_sending.settled" && event.unknown
      await sql`
        update mail_sendings set status = ${event.status}, detail = ${event.detail}, unknown = ${unknown}
        where mail = ${mail} and n = ${n}`.execute(trx)
    }
  }
}

const applyMailbox = async (trx: Transaction<Database>, { id, commit }: Logged): Promise<void> => {
  const isClosed = eventsOf(MailboxEvent, commit).some(({ type }) => type === "mailbox.closed")
  if (!isClosed) return
  await sql`delete from mail_sendings where mail in (select id from mails where mailbox = ${id})`.execute(trx)
  await sql`delete from mails where mailbox = ${id}`.execute(trx)
}

const applyRecipient = async (trx: Transaction<Database>, { id, commit }: Logged): Promise<void> => {
  const since = new Date(commit.at).toISOString()
  for (const event of eventsOf(MailRecipientEvent, commit)) {
    if (event.type === "mail_recipient.lifted") await sql`delete from mail_suppressions where id = ${id}`.execute(trx)
    else
      await sql`
        insert into mail_suppressions (id, reason, since, sealed)
        values (${id}, ${event.reason}, ${since}, ${event.sealed}) on conflict (id) do nothing`.execute(trx)
  }
}

const APPLY: Readonly<Record<string, (trx: Transaction<Database>, logged: Logged) => Promise<void>>> = {
  mail: applyMail,
  mail_sending: applySending,
  mailbox: applyMailbox,
  mail_recipient: applyRecipient
}

const writing =
  (commits: ReadonlyArray<Logged>): Change =>
  async (trx) => {
    const rows = commits.flatMap(journalOf)
    if (rows.length > 0) await journaled(rows, trx)
    for (const commit of commits) await APPLY[commit.kind]?.(trx, commit)
  }

export const mailProjection = logProjection({
  name: "mail",
  version: 2,
  reads: [
    { kind: "mail", events: inventoryOf(MailMessageEvent) },
    { kind: "mailbox", events: inventoryOf(MailboxEvent) },
    { kind: "mail_sending", events: MAIL_SENDING_EVENTS },
    { kind: "mail_recipient", events: inventoryOf(MailRecipientEvent) }
  ],
  tables: [
    { name: "mails", kind: "mail", actor: null },
    { name: "mail_sendings", kind: "mail_sending", actor: null },
    {
      name: "mail_events",
      kind: "mailbox",
      actor: null,
      kept: {
        of: "agent",
        order: "id",
        at: "at",
        // Rows are removed after this time. The log keeps the events of a sent message a day longer.
        bounds: ({ limits: { email } }) => ({ seconds: email.retention_seconds, newest: 0 })
      }
    },
    { name: "mail_suppressions", kind: "mail_recipient", actor: "id" }
  ],
  changes: (commits) => (commits.length === 0 ? null : writing(commits))
})
