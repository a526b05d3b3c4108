/**
 * Moves rows that an operator has hidden into separate tables, so that no list, count or search has to exclude them
 * (contract 19).
 *
 * Invariants
 *  - A row is either in its table or among the hidden rows, never in both.
 *  - A batch first moves the hidden rows that it changes back into the table, and moves them out again at its end. So
 *    its changes reach hidden rows too.
 */
import { type Kysely, type QueryCreator, sql, type Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import { rowsJson } from "../tables/rows.ts"

export interface HiddenRows {
  /** The reason for hiding each id, or `null` if the row is shown again. The last event of a batch counts. */
  readonly hidden: Map<number, string | null>
  /** Rows that are shown again in the batch, whatever happens to them later. */
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

type HideableTable = "posts" | "threads"

/** Moves the hidden rows among `touched` back into the table, and returns their ids with the reasons. */
export const writeBack = async (
  trx: Transaction<Database>,
  table: HideableTable,
  touched: Iterable<number>
): Promise<ReadonlyMap<number, string>> => {
  const ids = [...new Set(touched)]
  if (ids.length === 0) return new Map()
  const shown = sql.table(table)
  const { rows } = await sql<{ id: string; reason: string }>`
    with back as (
      delete from ${sql.table(`hidden_${table}`)} where id = any(${ids}::bigint[]) returning id, reason, row
    ), placed as (
      insert into ${shown} select p.* from back, jsonb_populate_record(null::${shown}, back.row) p
      on conflict (id) do nothing
    )
    select id, reason from back`.execute(trx)
  return new Map(rows.map(({ id, reason }) => [Number(id), reason]))
}

/** `were`: the result of `writeBack`. */
export const writeHidden = async (
  trx: Transaction<Database>,
  table: HideableTable,
  { hidden }: Pick<HiddenRows, "hidden">,
  were: ReadonlyMap<number, string>
): Promise<void> => {
  const rows = [...new Map<number, string | null>([...were, ...hidden])].flatMap(([id, reason]) =>
    reason === null ? [] : [{ id, reason }]
  )
  if (rows.length === 0) return
  const shown = sql.table(table)
  await sql`
    with named as (
      select * from jsonb_to_recordset(${rowsJson(rows)}::jsonb) n (id bigint, reason text)
    ), gone as (
      delete from ${shown} x using named where x.id = named.id returning named.reason, to_jsonb(x) as row, x.id
    )
    insert into ${sql.table(`hidden_${table}`)} (id, reason, row) select id, reason, row from gone`.execute(trx)
}

/** A query in which `table` has only the hidden row `id`. */
export const withHidden = (db: Kysely<Database>, table: HideableTable, id: number): QueryCreator<Database> => {
  const shown = sql.table(table)
  return db.with(
    table,
    () => sql<never>`(
      select p.* from ${sql.table(`hidden_${table}`)} h, jsonb_populate_record(null::${shown}, h.row) p
      where h.id = ${id})`
  ) as unknown as QueryCreator<Database>
}

/** The reason column, selected together with the row of `withHidden`. */
export const whyHidden = (table: HideableTable, id: number) =>
  sql<string>`(select h.reason from ${sql.table(`hidden_${table}`)} h where h.id = ${id})`.as("hidden_reason")
