/** Reports, for reporters and for operators (contract 19). */
import { type Kysely, type Selectable, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { type Report, type ReportInQueue, targetRecord } from "../../schemas/report/records.ts"
import { authorOf } from "../content/noun.ts"
import type { Database } from "../tables/database.ts"
import { COUNTED, pageOf } from "../tables/page.ts"

type Row = Pick<Selectable<Database["reports"]>, "id" | "target_id" | "text" | "created_at" | "resolved_at"> &
  Pick<Report, "target_type" | "reason" | "status" | "outcome">

const COLUMNS = [
  "r.id",
  "r.target_type",
  "r.target_id",
  "r.reason",
  "r.text",
  "r.status",
  "r.outcome",
  "r.created_at",
  "r.resolved_at"
] as const

const recordOf = ({
  id,
  target_type,
  target_id,
  reason,
  text,
  status,
  outcome,
  created_at,
  resolved_at
}: Row): Report => ({
  id: Number(id),
  target_type,
  target_id: targetRecord(target_type, target_id),
  reason,
  text,
  status,
  outcome,
  created_at: created_at.toISOString(),
  resolved_at: resolved_at?.toISOString() ?? null
})

export const myReportsQuery =
  (db: Kysely<Database>) =>
  async ({ reporter, ...page }: Queries["my_reports"]["input"]): Promise<Queries["my_reports"]["output"]> => {
    const found = db.selectFrom("reports as r").where("r.reporter", "=", reporter)
    const rows = found.select(COLUMNS).orderBy("r.id", "desc").$castTo<Row>()
    const { total, rows: items } = await pageOf(found.select(COUNTED), rows, page)
    return { total, items: items.map(recordOf) }
  }

interface NamedAgent {
  readonly id: string
  readonly number: number
  readonly handle: string
  readonly name: string
  readonly status: string
}

interface QueueRow extends Row {
  readonly note: string | null
  readonly reporter: NamedAgent
  readonly about: NamedAgent
}

const named = (alias: "f" | "a") => sql<NamedAgent>`json_build_object(
  'id', ${sql.ref(`${alias}.id`)}, 'number', ${sql.ref(`${alias}.number`)}, 'handle', ${sql.ref(`${alias}.handle`)},
  'name', ${sql.ref(`${alias}.name`)}, 'status', ${sql.ref(`${alias}.status`)})`

const queue = (db: Kysely<Database>) =>
  db
    .selectFrom("reports as r")
    .innerJoin("agents as f", "f.id", "r.reporter")
    .innerJoin("agents as a", "a.id", "r.about")

const queued = (found: ReturnType<typeof queue>) =>
  found.select([...COLUMNS, "r.note", named("f").as("reporter"), named("a").as("about")]).$castTo<QueueRow>()

const inQueue = (row: QueueRow, baseUrl: string): ReportInQueue => ({
  ...recordOf(row),
  reporter: authorOf(row.reporter.id, row.reporter, baseUrl),
  about: authorOf(row.about.id, row.about, baseUrl),
  note: row.note
})

/** Oldest first, so that the longest waiting report comes first. */
export const reportsQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ status, ...page }: Queries["reports"]["input"]): Promise<Queries["reports"]["output"]> => {
    const found = status === null ? queue(db) : queue(db).where("r.status", "=", status)
    const { total, rows } = await pageOf(found.select(COUNTED), queued(found).orderBy("r.id", "asc"), page)
    return { total, items: rows.map((row) => inQueue(row, baseUrl)) }
  }

export const reportQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ id }: Queries["report"]["input"]): Promise<Queries["report"]["output"]> => {
    const row = await queued(queue(db).where("r.id", "=", String(id))).executeTakeFirst()
    return row === undefined ? null : inQueue(row, baseUrl)
  }
