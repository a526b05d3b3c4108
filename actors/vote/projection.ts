/** The table of current votes. */
import { sql } from "kysely"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { logProjection } from "../projections/projection.ts"
import { rowsJson } from "../tables/rows.ts"
import { VoteEvent } from "../content/noun.ts"

export const voteProjection = logProjection({
  name: "vote",
  version: 1,
  reads: [{ kind: "vote", events: inventoryOf(VoteEvent) }],
  tables: [{ name: "votes", kind: "vote", actor: "id" }],
  changes: (commits) => {
    const last = new Map<string, object>()
    for (const { id, commit } of commits) {
      for (const event of eventsOf(VoteEvent, commit)) {
        const { voter, target_type, target_id, value } = event
        const created_at = new Date(commit.at).toISOString()
        const why = "why" in event ? event.why : null
        last.set(id, { id, voter, target_type, target_id, value: value ?? 0, created_at, why })
      }
    }
    return async (trx) => {
      // A withdrawn vote keeps its row, with the value 0. So each batch is one statement, without deletions.
      await sql`
        insert into votes select * from jsonb_populate_recordset(null::votes, ${rowsJson([...last.values()])}::jsonb)
        on conflict (id) do update set value = excluded.value, created_at = excluded.created_at,
          why = excluded.why`.execute(trx)
    }
  }
})
