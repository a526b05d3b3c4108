/** The table of score entries, which is the history of both scores. */
import { type Insertable, sql, type Transaction } from "kysely"
import type { Database } from "../../tables/database.ts"
import { rowsJson } from "../../tables/rows.ts"
import type { Rows } from "../rows.ts"
import type { AgentEvent } from "../state.ts"

export class EntryRows implements Rows {
  private readonly entries: Array<Insertable<Database["score_entries"]>> = []

  take(agent: string, event: AgentEvent, at: string): void {
    if (event.type !== "agent.score_changed") return
    const { entry, score, delta, value, reason, target_type, target_id } = event
    this.entries.push({ agent, entry, at, score, delta, value, reason, target_type, target_id })
  }

  get rows() {
    return { entries: this.entries }
  }

  async write(trx: Transaction<Database>): Promise<void> {
    await sql`
      insert into score_entries select * from jsonb_populate_recordset(null::score_entries, ${rowsJson(this.entries)}::jsonb)
      on conflict (agent, entry) do nothing`.execute(trx)
  }
}
