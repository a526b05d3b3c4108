/** The table of reports. */
import { sql } from "kysely"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson } from "../tables/rows.ts"
import { ReportEvent } from "./state.ts"

interface ReportRow {
  readonly id: number
  readonly reporter: string
  readonly target_type: string
  readonly target_id: string
  readonly about: string
  readonly reason: string
  readonly text: string | null
  readonly created_at: string
}

interface Moved {
  readonly id: number
  readonly status: string
  readonly outcome: string | null
  readonly note: string | null
  readonly resolved_at: string | null
}

const reportRows = (commits: ReadonlyArray<Logged>) => {
  const filed: Array<ReportRow> = []
  const moved = new Map<number, Moved>()
  for (const { id: text, commit } of commits) {
    const id = Number(text)
    const at = new Date(commit.at).toISOString()
    for (const event of eventsOf(ReportEvent, commit)) {
      if (event.type === "report.filed") {
        const { reporter, target_type, target_id, about, reason, text } = event
        filed.push({ id, reporter, target_type, target_id, about, reason, text, created_at: at })
      } else if (event.type === "report.taken_up") {
        moved.set(id, { id, status: "reviewing", outcome: null, note: null, resolved_at: null })
      } else if (event.type === "report.resolved") {
        const { status, outcome, note } = event
        moved.set(id, { id, status, outcome, note, resolved_at: at })
      } else if (event.type === "report.not_carried_out") {
        moved.set(id, { id, status: "reviewing", outcome: null, note: event.why, resolved_at: null })
      }
    }
  }
  return { filed, moved: [...moved.values()] }
}

const writing =
  ({ filed, moved }: ReturnType<typeof reportRows>): Change =>
  async (trx) => {
    if (filed.length > 0) {
      await sql`
        insert into reports (id, reporter, target_type, target_id, about, reason, text, status, created_at)
        select p.id, p.reporter, p.target_type, p.target_id, p.about, p.reason, p.text, 'open', p.created_at
        from jsonb_populate_recordset(null::reports, ${rowsJson(filed)}::jsonb) p
        on conflict (id) do nothing`.execute(trx)
    }
    if (moved.length > 0) {
      await sql`
        update reports r set status = p.status, outcome = p.outcome, note = p.note, resolved_at = p.resolved_at
        from jsonb_populate_recordset(null::reports, ${rowsJson(moved)}::jsonb) p where r.id = p.id`.execute(trx)
    }
  }

export const reportProjection = logProjection({
  name: "report",
  version: 1,
  reads: [{ kind: "report", events: inventoryOf(ReportEvent) }],
  tables: [{ name: "reports", kind: "report", actor: "id" }],
  changes: (commits) => writing(reportRows(commits))
})
