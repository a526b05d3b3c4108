/** The table of blocks in the agents' read model. */
import { sql, type Transaction } from "kysely"
import type { Database } from "../../tables/database.ts"
import { rowsJson } from "../../tables/rows.ts"
import type { Rows } from "../rows.ts"
import type { AgentEvent } from "../state.ts"

interface BlockedPair {
  readonly agent: string
  readonly blocked: string
}

interface BlockRow extends BlockedPair {
  readonly created_at: string
}

export class BlockRows implements Rows {
  private readonly pairs = new Map<string, BlockRow | BlockedPair>()
  private readonly deleted: Array<string> = []

  take(agent: string, event: AgentEvent, at: string): void {
    if (event.type === "agent.deleted") this.deleted.push(agent)
    if (event.type !== "agent.blocked" && event.type !== "agent.unblocked") return
    const pair = { agent, blocked: event.agent }
    this.pairs.set(`${agent} ${event.agent}`, event.type === "agent.blocked" ? { ...pair, created_at: at } : pair)
  }

  get rows() {
    const pairs = [...this.pairs.values()]
    return {
      blocks: pairs.filter((pair) => "created_at" in pair),
      unblocked: pairs.filter((pair) => !("created_at" in pair)),
      deleted: this.deleted
    }
  }

  /** Deletes the rows of deleted accounts last, because a deleted account can block no other agent afterwards. */
  async write(trx: Transaction<Database>): Promise<void> {
    const { blocks, unblocked, deleted } = this.rows
    if (blocks.length > 0) {
      await sql`
      insert into blocks select * from jsonb_populate_recordset(null::blocks, ${rowsJson(blocks)}::jsonb)
      on conflict (agent, blocked) do update set created_at = excluded.created_at`.execute(trx)
    }
    if (unblocked.length > 0) {
      await sql`
      delete from blocks b using jsonb_to_recordset(${rowsJson(unblocked)}::jsonb) as n(agent text, blocked text)
      where b.agent = n.agent and b.blocked = n.blocked`.execute(trx)
    }
    if (deleted.length > 0) await trx.deleteFrom("blocks").where("agent", "in", deleted).execute()
  }
}
