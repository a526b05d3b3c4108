/**
 * The tables of the identity directory (spec 2.5): replaced keys, and the version of each block of agent numbers. A
 * block's version is the sequence of the last commit that changed its content in the directory, so that readers fetch
 * only blocks that changed.
 */
import { sql, type Transaction } from "kysely"
import { DIRECTORY_BLOCK_SIZE } from "../../../schemas/identity/directory.ts"
import type { Database } from "../../tables/database.ts"
import { rowsJson } from "../../tables/rows.ts"

interface RetiredKeyRow {
  readonly agent: string
  readonly public_key: string
  readonly valid_from: string
  readonly retired_at: string
}

export interface IdentityRows {
  readonly registered: ReadonlyArray<{ readonly number?: number }>
  readonly retiredKeys: ReadonlyArray<RetiredKeyRow>
  /** Agents whose entry in the identity directory has changed, with the sequence of the last commit that changed it. */
  readonly identities: ReadonlyArray<{ readonly id: string; readonly seq: number }>
}

/** Written after the agents' own rows. */
export const writeIdentities = async (trx: Transaction<Database>, rows: IdentityRows): Promise<void> => {
  if (rows.retiredKeys.length > 0) {
    await sql`
      insert into retired_keys select * from jsonb_populate_recordset(null::retired_keys, ${rowsJson(rows.retiredKeys)}::jsonb)
      on conflict (agent, public_key) do nothing`.execute(trx)
  }
  const begun = blocksOf(rows)
  if (begun.length > 0) {
    await sql`
      insert into identity_blocks (block, version, agents, max_number)
      select t.block, 0, count(*), max(a.number)
      from jsonb_to_recordset(${rowsJson(begun)}::jsonb) as t(block integer)
      join agents a on a.number >= t.block * ${DIRECTORY_BLOCK_SIZE}::integer
        and a.number < (t.block + 1) * ${DIRECTORY_BLOCK_SIZE}::integer
      group by t.block
      on conflict (block) do update set agents = excluded.agents, max_number = excluded.max_number`.execute(trx)
  }
  if (rows.identities.length > 0) {
    await sql`
      update identity_blocks b set version = greatest(b.version, touched.version)
      from (
        select a.number / ${DIRECTORY_BLOCK_SIZE}::integer as block, max(t.seq) as version
        from jsonb_to_recordset(${rowsJson(rows.identities)}::jsonb) as t(id text, seq bigint) join agents a on a.id = t.id group by 1
      ) touched
      where b.block = touched.block`.execute(trx)
  }
}

/** Blocks that have got agents: only these are counted again. */
const blocksOf = (rows: IdentityRows): ReadonlyArray<{ readonly block: number }> =>
  [...new Set(rows.registered.map((row) => Math.floor((row.number ?? 0) / DIRECTORY_BLOCK_SIZE)))].map((block) => ({
    block
  }))
