/** The journal of vaults: every fill, refusal and change. It stays when a vault is revoked. */
import { sql, type Transaction } from "kysely"
import type { Database } from "../database.ts"
import { eventsOf } from "../engine/events.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson } from "../projections/rows.ts"
import { journalOf } from "./journal.ts"
import { VAULT_EVENTS, VaultEvent } from "./state.ts"

/** What becomes of a fill, or of one that waits for an owner, stands in the line of its opening. */
const writeEnd = async (trx: Transaction<Database>, agent: string, event: VaultEvent): Promise<void> => {
  const lines = trx.updateTable("vault_log").where("agent", "=", agent)
  const over = { asks_until: null } as const
  switch (event.type) {
    case "vault.consent_asked": {
      await lines
        .set({ asks_until: new Date(event.expires_at) })
        .where("fill", "=", event.fill)
        .execute()
      return
    }
    case "vault.consent_given":
      await lines.set(over).where("fill", "=", event.fill).execute()
      return
    case "vault.consent_declined":
      await lines
        .set({ ...over, status: "failed", code: "owner_declined" })
        .where("fill", "=", event.fill)
        .execute()
      return
    case "vault.fill_ended":
      await lines
        .set({ ...over, status: event.status, code: event.code })
        .where("fill", "=", event.fill)
        .execute()
      return
    case "vault.fills_expired":
      await lines
        .set({ ...over, status: "expired" })
        .where("fill", "in", event.fills)
        .where("status", "=", "pending")
        .execute()
      return
    // Nobody can tell the end of one any more.
    case "vault.revoked":
      await lines
        .set({ ...over, status: "expired" })
        .where("status", "=", "pending")
        .execute()
      return
    default:
  }
}

const writing =
  (commits: ReadonlyArray<Logged>): Change =>
  async (trx) => {
    // In the order of the log: a fill may end in the batch in which it began.
    for (const commit of commits) {
      const rows = journalOf(commit)
      if (rows.length > 0)
        await sql`
          insert into vault_log
          select * from jsonb_populate_recordset(null::vault_log, ${rowsJson(rows)}::jsonb)
          on conflict (id) do nothing`.execute(trx)
      for (const event of eventsOf(VaultEvent, commit.commit)) await writeEnd(trx, commit.id, event)
    }
  }

export const vaultProjection = logProjection({
  name: "vault",
  version: 2,
  reads: [{ kind: "vault", events: VAULT_EVENTS }],
  tables: [{ name: "vault_log", kind: "vault", actor: "agent" }],
  changes: (commits) => (commits.length === 0 ? null : writing(commits))
})
