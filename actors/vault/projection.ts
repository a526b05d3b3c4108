/** The journal of vaults: every fill, refusal and change. It stays when a vault is revoked. */
import { sql } from "kysely"
import type { FillStatus } from "../../schemas/vault/records.ts"
import { eventsOf } from "../engine/events.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { lineNumber, rowsJson } from "../tables/rows.ts"
import { journalOf } from "./journal.ts"
import { VAULT_EVENTS, VaultEvent } from "./state.ts"

/** A new status of a fill, which is written into the row of its opening. */
interface End {
  readonly agent: string
  readonly fill: number
  readonly status: FillStatus
  readonly code: string | null
  readonly asks_until: string | null
}

const endsOf = ({ id: agent, commit }: Logged): ReadonlyArray<End> =>
  eventsOf(VaultEvent, commit).flatMap((event): ReadonlyArray<End> => {
    const plain = { agent, code: null, asks_until: null }
    switch (event.type) {
      case "vault.consent_asked": {
        const asks_until = new Date(event.expires_at).toISOString()
        return [{ ...plain, fill: event.fill, status: "pending", asks_until }]
      }
      case "vault.consent_given":
        return [{ ...plain, fill: event.fill, status: "pending" }]
      case "vault.consent_declined":
        return [{ ...plain, fill: event.fill, status: "failed", code: "owner_declined" }]
      case "vault.fill_ended":
        return [{ ...plain, fill: event.fill, status: event.status, code: event.code }]
      case "vault.fills_expired":
        return event.fills.map((fill) => ({ ...plain, fill, status: "expired" }))
      default:
        return []
    }
  })

/** True if the commit ended all open fills. */
const endsAll = ({ commit }: Logged): boolean =>
  eventsOf(VaultEvent, commit).some(
    (event) => event.type === "vault.revoked" || (event.type === "vault.restored" && event.skipped !== undefined)
  )

/**
 * Writes all rows first, because a fill may end in the batch in which it began. The last of several ends of a fill
 * counts.
 */
const writing =
  (commits: ReadonlyArray<Logged>): Change =>
  async (trx) => {
    const rows = commits.flatMap(journalOf)
    if (rows.length > 0)
      await sql`
        insert into vault_log
        select * from jsonb_populate_recordset(null::vault_log, ${rowsJson(rows)}::jsonb)
        on conflict (id) do nothing`.execute(trx)
    const ends = new Map(commits.flatMap(endsOf).map((end) => [`${end.agent} ${end.fill}`, end]))
    if (ends.size > 0)
      await sql`
        update vault_log set status = ended.status, code = ended.code, asks_until = ended.asks_until
        from jsonb_to_recordset(${rowsJson([...ends.values()])}::jsonb)
          as ended (agent text, fill integer, status text, code text, asks_until timestamptz)
        where vault_log.agent = ended.agent and vault_log.fill = ended.fill`.execute(trx)
    // The end of a fill that was open when its vault was revoked or restored is not known.
    for (const { id: agent, seq } of commits.filter(endsAll))
      await trx
        .updateTable("vault_log")
        .set({ status: "expired", asks_until: null })
        .where("agent", "=", agent)
        .where("status", "=", "pending")
        .where("id", "<", String(lineNumber(seq, 0)))
        .execute()
  }

export const vaultProjection = logProjection({
  name: "vault",
  version: 2,
  reads: [{ kind: "vault", events: VAULT_EVENTS }],
  tables: [{ name: "vault_log", kind: "vault", actor: "agent" }],
  changes: (commits) => (commits.length === 0 ? null : writing(commits))
})
