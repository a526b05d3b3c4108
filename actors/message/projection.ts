/** The tables of private messages, and of gaps: message numbers that were drawn and are not in the log yet. */
import { sql } from "kysely"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson } from "../tables/rows.ts"
import { type SettledNumber, writeGaps } from "./gaps.ts"
import { MessageEvent } from "./state.ts"

interface MessageRow {
  readonly id: number
  readonly sender: string
  readonly recipient: string
  readonly conversation: string
  readonly body: string
  readonly in_reply_to: number | null
  readonly created_at: string
  read_at: string | null
}

interface MessageRows {
  readonly sent: Map<number, MessageRow>
  /** The time of reading, for messages of earlier batches. */
  readonly read: Map<number, string>
  readonly settled: Array<SettledNumber>
}

const messageRows = (commits: ReadonlyArray<Logged>): MessageRows => {
  const rows: MessageRows = { sent: new Map(), read: new Map(), settled: [] }
  for (const { id: text, commit } of commits) {
    const id = Number(text)
    const at = new Date(commit.at).toISOString()
    for (const event of eventsOf(MessageEvent, commit)) {
      if (event.type !== "message.read") rows.settled.push({ id, at, voided: event.type === "message.voided" })
      if (event.type === "message.voided") continue
      if (event.type === "message.sent") {
        const { from: sender, to: recipient, conversation, body, in_reply_to } = event
        rows.sent.set(id, { id, sender, recipient, conversation, body, in_reply_to, created_at: at, read_at: null })
        continue
      }
      const row = rows.sent.get(id)
      if (row === undefined) rows.read.set(id, at)
      else row.read_at ??= at
    }
  }
  return rows
}

const writing =
  ({ sent, read, settled }: MessageRows): Change =>
  async (trx) => {
    await writeGaps(trx, settled)
    if (sent.size > 0) {
      await sql`
        insert into messages select * from jsonb_populate_recordset(null::messages, ${rowsJson([...sent.values()])}::jsonb)
        on conflict (id) do nothing`.execute(trx)
    }
    if (read.size > 0) {
      const marks = [...read].map(([id, at]) => ({ id, at }))
      await sql`
        update messages m set read_at = coalesce(m.read_at, n.at)
        from jsonb_to_recordset(${rowsJson(marks)}::jsonb) as n(id bigint, at timestamptz) where m.id = n.id`.execute(
        trx
      )
    }
  }

export const messageProjection = logProjection({
  name: "message",
  version: 2,
  reads: [{ kind: "message", events: inventoryOf(MessageEvent) }],
  tables: [
    { name: "messages", kind: "message", actor: "id" },
    { name: "message_gaps", kind: "message", actor: null }
  ],
  changes: (commits) => writing(messageRows(commits))
})
