/** The table of messages between agents and their owners. Their texts are sealed. */
import { sql } from "kysely"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson } from "../tables/rows.ts"
import { OwnerMessageEvent } from "./state.ts"

interface Row {
  readonly id: number
  readonly agent: string
  readonly human: string | null
  readonly kind: string | null
  readonly sealed: string
  readonly keys: ReadonlyArray<{ readonly human: string; readonly sealed: string }>
  /** The people under whose keys the message is sealed. */
  readonly readers: ReadonlyArray<string>
  readonly in_reply_to: number | null
  readonly delivered_to: ReadonlyArray<unknown>
  readonly created_at: string
  read_at: string | null
}

interface Rows {
  readonly written: Map<number, Row>
  /** The time of reading, for messages of earlier batches. */
  readonly read: Map<number, string>
}

const rowsOf = (commits: ReadonlyArray<Logged>): Rows => {
  const rows: Rows = { written: new Map(), read: new Map() }
  for (const { id: text, commit } of commits) {
    const id = Number(text)
    const at = new Date(commit.at).toISOString()
    for (const event of eventsOf(OwnerMessageEvent, commit)) {
      if (event.type === "owner_message.written") {
        const { agent, human, kind, in_reply_to, delivered_to, sealed, keys } = event
        const readers = keys.map((key) => key.human)
        const row = { id, agent, human, kind, sealed, keys, readers, in_reply_to, delivered_to, created_at: at }
        rows.written.set(id, { ...row, read_at: null })
        continue
      }
      const row = rows.written.get(id)
      if (row === undefined) rows.read.set(id, at)
      else row.read_at ??= at
    }
  }
  return rows
}

const writing =
  ({ written, read }: Rows): Change =>
  async (trx) => {
    if (written.size > 0) {
      await sql`
        insert into owner_messages
        select * from jsonb_populate_recordset(null::owner_messages, ${rowsJson([...written.values()])}::jsonb)
        on conflict (id) do nothing`.execute(trx)
    }
    if (read.size > 0) {
      const marks = [...read].map(([id, at]) => ({ id, at }))
      await sql`
        update owner_messages m set read_at = coalesce(m.read_at, n.at)
        from jsonb_to_recordset(${rowsJson(marks)}::jsonb) as n(id bigint, at timestamptz) where m.id = n.id`.execute(
        trx
      )
    }
  }

export const ownerMessageProjection = logProjection({
  name: "owner_message",
  version: 1,
  reads: [{ kind: "owner_message", events: inventoryOf(OwnerMessageEvent) }],
  tables: [{ name: "owner_messages", kind: "owner_message", actor: "id" }],
  changes: (commits) => writing(rowsOf(commits))
})
