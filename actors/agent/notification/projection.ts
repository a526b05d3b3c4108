/**
 * The table of notifications. A row is inserted once and may be marked as read. Old rows are deleted, and so are all
 * rows of a deleted account (spec 3.1).
 */
import { sql } from "kysely"
import { subjects } from "../../../schemas/subjects.ts"
import { AGENT_EVENTS, AgentEvent } from "../state.ts"
import { eventsOf } from "../../engine/events.ts"
import { type Change, type Logged, logProjection } from "../../projections/projection.ts"
import { rowsJson } from "../../tables/rows.ts"
import { newsOf } from "./news.ts"

interface NotificationRow {
  readonly id: number
  readonly agent: string
  readonly type: string
  readonly payload: unknown
  readonly created_at: string
  read_at: string | null
}

interface NotificationRows {
  readonly fresh: Map<number, NotificationRow>
  readonly read: Array<{ readonly id: number; readonly at: string }>
  readonly deleted: Set<string>
}

const notificationRows = (commits: ReadonlyArray<Logged>): NotificationRows => {
  const rows: NotificationRows = { fresh: new Map(), read: [], deleted: new Set() }
  for (const { id: agent, commit } of commits) {
    const at = new Date(commit.at).toISOString()
    for (const event of eventsOf(AgentEvent, commit)) take(rows, agent, at, event)
  }
  return rows
}

const take = ({ fresh, read, deleted }: NotificationRows, agent: string, at: string, event: AgentEvent): void => {
  if (event.type === "agent.notified") {
    const { notification: id, about: type, payload } = event
    fresh.set(id, { id, agent, type, payload, created_at: at, read_at: null })
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

/** Deletes rows last, because an account gets no notifications after its deletion. */
const writing =
  ({ fresh, read, deleted }: NotificationRows): Change =>
  async (trx) => {
    if (fresh.size > 0) {
      await sql`
        insert into notifications select * from jsonb_populate_recordset(null::notifications, ${rowsJson([...fresh.values()])}::jsonb)
        on conflict (id) do nothing`.execute(trx)
    }
    if (read.length > 0) {
      await sql`
        update notifications n set read_at = coalesce(n.read_at, p.at)
        from jsonb_to_recordset(${rowsJson(read)}::jsonb) as p(id bigint, at timestamptz) where n.id = p.id`.execute(
        trx
      )
    }
    if (deleted.size > 0)
      await trx
        .deleteFrom("notifications")
        .where("agent", "in", [...deleted])
        .execute()
  }

export const notificationProjection = logProjection({
  name: "notification",
  version: 1,
  reads: [{ kind: "agent", events: AGENT_EVENTS }],
  tables: [
    {
      name: "notifications",
      kind: "agent",
      actor: "agent",
      kept: {
        of: "agent",
        order: "id",
        at: "created_at",
        bounds: ({ notifications: { kept_seconds, kept_newest } }) => ({ seconds: kept_seconds, newest: kept_newest }),
        counted: { by: "read_at", release: "notification.lapse" }
      }
    }
  ],
  changes: (commits) => {
    const rows = notificationRows(commits)
    return rows.fresh.size + rows.read.length + rows.deleted.size === 0 ? null : writing(rows)
  },
  hints: (batch) => [...newsOf(batch)].map(([agent, newest]) => [subjects.notified(agent), newest] as const)
})
