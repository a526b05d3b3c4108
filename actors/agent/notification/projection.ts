/** Notifications as rows: written once, marked as read, dropped with their account (spec 3.1). */
import { sql, type Transaction } from "kysely"
import { AgentEvent } from "../state.ts"
import type { Database } from "../../database.ts"
import type { Commit } from "../../engine/ports.ts"
import { rowsJson } from "../../projections/rows.ts"
import { eventsOf } from "../../engine/events.ts"

interface NotificationRow {
  readonly id: number
  readonly agent: string
  readonly type: string
  readonly payload: unknown
  readonly created_at: string
  read_at: string | null
}

/** In the order of the log, so that a deletion takes what came before it. */
export const writeNotifications = async (
  trx: Transaction<Database>,
  commits: ReadonlyArray<{ readonly id: string; readonly commit: Commit }>
): Promise<void> => {
  const fresh = new Map<number, NotificationRow>()
  const read: Array<{ readonly id: number; readonly at: string }> = []
  const deleted = new Set<string>()
  for (const { id: agent, commit } of commits) {
    const at = new Date(commit.at).toISOString()
    for (const event of eventsOf(AgentEvent, commit)) {
      if (event.type === "agent.notified") {
        fresh.set(event.notification, {
          id: event.notification,
          agent,
          type: event.about,
          payload: event.payload,
          created_at: at,
          read_at: null
        })
      }
      if (event.type === "agent.notifications_read") {
        for (const id of event.ids) {
          const row = fresh.get(id)
          if (row === undefined) read.push({ id, at })
          else row.read_at = at
        }
      }
      if (event.type === "agent.deleted") deleted.add(agent)
    }
  }
  if (fresh.size > 0) {
    await sql`
      insert into notifications select * from jsonb_populate_recordset(null::notifications, ${rowsJson([...fresh.values()])}::jsonb)
      on conflict (id) do nothing`.execute(trx)
  }
  if (read.length > 0) {
    await sql`
      update notifications n set read_at = coalesce(n.read_at, p.at)
      from jsonb_to_recordset(${rowsJson(read)}::jsonb) as p(id bigint, at timestamptz) where n.id = p.id`.execute(trx)
  }
  if (deleted.size > 0)
    await trx
      .deleteFrom("notifications")
      .where("agent", "in", [...deleted])
      .execute()
}
