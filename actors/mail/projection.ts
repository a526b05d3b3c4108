/** The tables of mail: messages, sealed, and what happened to mailboxes. */
import { sql, type Transaction } from "kysely"
import type { Database } from "../database.ts"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson } from "../projections/rows.ts"
import { MailboxEvent } from "./box/state.ts"
import { MailMessageEvent } from "./message/state.ts"

/** Events of one commit in the journal: each has a number behind the commit's own. */
const EVENTS_OF_COMMIT = 16

interface JournalRow {
  readonly id: number
  readonly agent: string
  readonly at: string
  readonly event: string
  readonly mailbox: number
  readonly mail: number | null
  readonly sealed: string | null
}

const NAMES: Readonly<Partial<Record<MailboxEvent["type"], string>>> = {
  "mailbox.opened": "opened",
  "mailbox.received": "received",
  "mailbox.dropped": "dropped",
  "mailbox.closed": "closed"
}

const journalOf = ({ seq, id, commit }: Logged): ReadonlyArray<JournalRow> =>
  eventsOf(MailboxEvent, commit).flatMap((event, index) => {
    const name = NAMES[event.type]
    if (name === undefined || !("agent" in event)) return []
    const sealed = event.type === "mailbox.dropped" ? event.sealed : null
    const mail = event.type === "mailbox.received" ? event.mail : null
    const at = new Date(commit.at).toISOString()
    return [
      { id: seq * EVENTS_OF_COMMIT + index, agent: event.agent, at, event: name, mailbox: Number(id), mail, sealed }
    ]
  })

const journaled = (rows: ReadonlyArray<JournalRow>, trx: Transaction<Database>) =>
  sql`
  insert into mail_events select * from jsonb_populate_recordset(null::mail_events, ${rowsJson(rows)}::jsonb)
  on conflict (id) do nothing`.execute(trx)

/** In the order of the log: a message may be the answer to one of the same batch. */
const applyMail = async (trx: Transaction<Database>, { id, commit }: Logged): Promise<void> => {
  const at = new Date(commit.at).toISOString()
  for (const event of eventsOf(MailMessageEvent, commit)) {
    if (event.type === "mail.expired") await sql`delete from mails where id = ${id}`.execute(trx)
    else if (event.type === "mail.read")
      await sql`update mails set read_at = coalesce(read_at, ${at}) where id = ${id}`.execute(trx)
    else {
      const { agent, mailbox, envelope, words, own, follows, lets_in } = event
      const root =
        follows.length === 0
          ? sql`null::bigint`
          : sql`(select thread from mails where agent = ${agent} and own = any(${[...follows]}::text[]) order by id limit 1)`
      await sql`
        insert into mails (id, agent, mailbox, thread, received_at, envelope, words, own, lets_in)
        values (${id}, ${agent}, ${mailbox}, coalesce(${root}, ${id}::bigint), ${at}, ${envelope}, ${[...words]}::text[],
          ${own}, ${lets_in})
        on conflict (id) do nothing`.execute(trx)
    }
  }
}

const applyMailbox = async (trx: Transaction<Database>, { id, commit }: Logged): Promise<void> => {
  const isClosed = eventsOf(MailboxEvent, commit).some(({ type }) => type === "mailbox.closed")
  if (isClosed) await sql`delete from mails where mailbox = ${id}`.execute(trx)
}

const writing =
  (commits: ReadonlyArray<Logged>): Change =>
  async (trx) => {
    const rows = commits.flatMap((commit) => (commit.kind === "mailbox" ? journalOf(commit) : []))
    if (rows.length > 0) await journaled(rows, trx)
    for (const commit of commits) await (commit.kind === "mail" ? applyMail(trx, commit) : applyMailbox(trx, commit))
  }

export const mailProjection = logProjection({
  name: "mail",
  version: 1,
  reads: [
    { kind: "mail", events: inventoryOf(MailMessageEvent) },
    { kind: "mailbox", events: inventoryOf(MailboxEvent) }
  ],
  tables: [
    { name: "mails", kind: "mail", actor: null },
    { name: "mail_events", kind: "mailbox", actor: "mailbox" }
  ],
  changes: (commits) => (commits.length === 0 ? null : writing(commits))
})
