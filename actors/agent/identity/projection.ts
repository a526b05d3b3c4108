/**
 * The tables of the identity directory (spec 2.5): the replaced keys, and a version for each block of agent numbers. A
 * block's version is the sequence of the last commit that may have changed its content, so that readers skip unchanged
 * blocks.
 */
import { sql, type Transaction } from "kysely"
import { DIRECTORY_BLOCK_SIZE } from "../../../schemas/identity/directory.ts"
import type { Database } from "../../tables/database.ts"
import { rowsJson } from "../../tables/rows.ts"
import { type AgentRow, changedColumns } from "../columns.ts"
import type { Rows } from "../rows.ts"
import type { AgentEvent } from "../state.ts"

/**
 * Since this version of the projection, `directory_version` of each agent's row is the sequence of the last event that
 * changed a column that its directory entry shows.
 */
export const AGENT_VERSION = 3

/** The columns of `agents` that an entry shows and that can change. */
const SHOWN: ReadonlySet<string> = new Set<keyof AgentRow>([
  "status",
  "provisional",
  "public_key",
  "key_from",
  "trust",
  "reputation"
])

/** True if a change of these columns of an agent's row changes its directory entry. */
export const changesEntry = (columns: Partial<AgentRow> | null): boolean =>
  columns !== null && Object.keys(columns).some((column) => SHOWN.has(column))

interface RetiredKeyRow {
  readonly agent: string
  readonly public_key: string
  readonly valid_from: string
  readonly retired_at: string
}

export class IdentityRows implements Rows {
  private readonly retired: Array<RetiredKeyRow> = []
  /** Blocks in which agents were registered. Only their agents are counted again. */
  private readonly begun = new Set<number>()
  private readonly changed = new Map<string, number>()

  take(agent: string, event: AgentEvent, at: string, seq: number): void {
    if (event.type === "agent.registered" || changesEntry(changedColumns(event, at))) this.changed.set(agent, seq)
    if (event.type === "agent.registered") this.begun.add(Math.floor(event.number / DIRECTORY_BLOCK_SIZE))
    if (event.type === "agent.key_rotated") {
      const { old_public_key: public_key, old_from } = event
      this.retired.push({ agent, public_key, valid_from: new Date(old_from).toISOString(), retired_at: at })
    }
  }

  get rows() {
    return {
      retired: this.retired,
      begun: [...this.begun].map((block) => ({ block })),
      changed: [...this.changed].map(([id, seq]) => ({ id, seq }))
    }
  }

  async write(trx: Transaction<Database>): Promise<void> {
    const { retired, begun, changed } = this.rows
    if (retired.length > 0) {
      await sql`
      insert into retired_keys select * from jsonb_populate_recordset(null::retired_keys, ${rowsJson(retired)}::jsonb)
      on conflict (agent, public_key) do nothing`.execute(trx)
    }
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
    if (changed.length > 0) {
      await sql`
      update identity_blocks b set version = greatest(b.version, touched.version)
      from (
        select a.number / ${DIRECTORY_BLOCK_SIZE}::integer as block, max(t.seq) as version
        from jsonb_to_recordset(${rowsJson(changed)}::jsonb) as t(id text, seq bigint) join agents a on a.id = t.id group by 1
      ) touched
      where b.block = touched.block`.execute(trx)
    }
  }
}
