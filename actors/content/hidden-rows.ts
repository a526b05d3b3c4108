/**
 * Where rows stand that an operator has hidden: apart, so that no list, no count and no search has to leave them out
 * (contract 19).
 *
 * Invariants
 *  - A row is in one of the two places. What changes in it while it is hidden its event says when it is shown again.
 *  - In a batch what is shown again comes first and what is hidden last: other changes meet the row where rows are.
 */
import { type Kysely, type QueryCreator, sql, type Transaction } from "kysely"
import type { Database } from "../database.ts"
import { rowsJson } from "../projections/rows.ts"

export interface HiddenRows {
  /** By id, why; `null`: shown again. What a batch says last. */
  readonly hidden: Map<number, string | null>
  /** Shown again in the batch, whatever came after. */
  readonly restored: Set<number>
}

export const noHiddenRows = (): HiddenRows => ({ hidden: new Map(), restored: new Set() })

export const foldHiding = (
  { hidden, restored }: HiddenRows,
  id: number,
  event: { readonly reason: string } | object
): void => {
  const reason = "reason" in event ? event.reason : null
  hidden.set(id, reason)
  if (reason === null) restored.add(id)
}

type Shown = "posts" | "threads"

export const writeRestored = async (
  trx: Transaction<Database>,
  table: Shown,
  { restored }: HiddenRows
): Promise<void> => {
  if (restored.size === 0) return
  const ids = [...restored]
  const apart = sql.table(`hidden_${table}`)
  await sql`
    insert into ${sql.table(table)}
    select p.* from ${apart} h, jsonb_populate_record(null::${sql.table(table)}, h.row) p
    where h.id = any(${ids}::bigint[])`.execute(trx)
  await sql`delete from ${apart} where id = any(${ids}::bigint[])`.execute(trx)
}

export const writeHidden = async (trx: Transaction<Database>, table: Shown, { hidden }: HiddenRows): Promise<void> => {
  const rows = [...hidden].flatMap(([id, reason]) => (reason === null ? [] : [{ id, reason }]))
  if (rows.length === 0) return
  const apart = sql.table(`hidden_${table}`)
  const shown = sql.table(table)
  await sql`
    insert into ${apart} (id, reason, row)
    select x.id, n.reason, to_jsonb(x)
    from jsonb_to_recordset(${rowsJson(rows)}::jsonb) n (id bigint, reason text) join ${shown} x on x.id = n.id
    on conflict (id) do nothing`.execute(trx)
  const ids = rows.map(({ id }) => id)
  await sql`delete from ${shown} where id = any(${ids}::bigint[])`.execute(trx)
}

/** The same tables, where of one of them there is but the row that is hidden. */
export const withHidden = (db: Kysely<Database>, table: Shown, id: number): QueryCreator<Database> => {
  const shown = sql.table(table)
  return db.with(
    table,
    () => sql<never>`(
      select p.* from ${sql.table(`hidden_${table}`)} h, jsonb_populate_record(null::${shown}, h.row) p
      where h.id = ${id})`
  ) as unknown as QueryCreator<Database>
}

/** Beside a row that `withHidden` gave. */
export const whyHidden = (table: Shown, id: number) =>
  sql<string>`(select h.reason from ${sql.table(`hidden_${table}`)} h where h.id = ${id})`.as("hidden_reason")
