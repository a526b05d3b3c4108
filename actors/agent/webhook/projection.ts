/** The table of webhooks that an operator has paused, in the agents' read model. */
import { sql, type Transaction } from "kysely"
import type { Database } from "../../tables/database.ts"
import { rowsJson } from "../../tables/rows.ts"
import type { Rows } from "../rows.ts"
import type { AgentEvent } from "../state.ts"

interface Paused {
  readonly agent: string
  readonly paused_at: string
}

export class PausedRows implements Rows {
  private readonly agents = new Map<string, Paused | null>()

  take(agent: string, event: AgentEvent, at: string): void {
    if (event.type === "agent.webhook_paused") this.agents.set(agent, { agent, paused_at: at })
    if (event.type === "agent.webhook_resumed" || event.type === "agent.deleted") this.agents.set(agent, null)
  }

  get rows() {
    const all = [...this.agents]
    return {
      paused: all.flatMap(([, row]) => row ?? []),
      resumed: all.flatMap(([agent, row]) => (row === null ? [agent] : []))
    }
  }
  async write(trx: Transaction<Database>): Promise<void> {
    const { paused, resumed } = this.rows
    if (paused.length > 0) {
      await sql`
      insert into paused_webhooks select * from jsonb_populate_recordset(null::paused_webhooks, ${rowsJson(paused)}::jsonb)
      on conflict (agent) do update set paused_at = excluded.paused_at`.execute(trx)
    }
    if (resumed.length > 0) await trx.deleteFrom("paused_webhooks").where("agent", "in", resumed).execute()
  }
}
