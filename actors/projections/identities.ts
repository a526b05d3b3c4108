/**
 * The identity directory's side of the read models (spec 2.5): keys that were replaced, and how each block of agent
 * numbers stands. A block's version is the sequence of the last commit that changed what the directory says of it, so
 * that readers fetch anew only what has changed.
 */
import { sql, type Transaction } from "kysely"
import { DIRECTORY_BLOCK_SIZE } from "../../schemas/identity/directory.ts"
import type { Database } from "../database.ts"
import type { AgentRows } from "./agents.ts"
import { rowsJson } from "./rows.ts"

/** After the agents' own rows. `seq`: of the batch's last commit. */
export const writeIdentities = async (trx: Transaction<Database>, rows: AgentRows, seq: number): Promise<void> => {
  if (rows.retiredKeys.length > 0) {
    await sql`
      insert into retired_keys select * from jsonb_populate_recordset(null::retired_keys, ${rowsJson(rows.retiredKeys)}::jsonb)
      on conflict (agent, public_key) do nothing`.execute(trx)
  }
  if (rows.identities.length > 0) {
    await sql`
      insert into identity_blocks (block, version, agents, max_number)
      select touched.block, ${String(seq)}::bigint, count(*), max(a.number)
      from (select distinct number / ${DIRECTORY_BLOCK_SIZE}::integer as block from agents where id = any(${rows.identities})) touched
      join agents a on a.number >= touched.block * ${DIRECTORY_BLOCK_SIZE}::integer and a.number < (touched.block + 1) * ${DIRECTORY_BLOCK_SIZE}::integer
      group by touched.block
      on conflict (block) do update set version = excluded.version, agents = excluded.agents, max_number = excluded.max_number`.execute(trx)
  }
}
