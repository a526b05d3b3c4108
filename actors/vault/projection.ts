/** The journal of vaults: every fill, refusal and change. It stays when a vault is revoked. */
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { EntryKind, FillStatus, VaultLogLine } from "../../schemas/vault/records.ts"
import type { Database } from "../database.ts"
import { eventsOf } from "../engine/events.ts"
import { COUNTED, pageOf } from "../page.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson } from "../projections/rows.ts"
import { journalOf } from "./journal.ts"
import { VAULT_EVENTS, VaultEvent } from "./state.ts"

/** How a fill ended, as its row says it. */
interface End {
  readonly agent: string
  readonly fill: number
  readonly status: FillStatus
  readonly code: string | null
}

const endsOf = ({ id: agent, commit }: Logged): ReadonlyArray<End> =>
  eventsOf(VaultEvent, commit).flatMap((event): ReadonlyArray<End> => {
    if (event.type === "vault.fill_ended") return [{ agent, fill: event.fill, status: event.status, code: event.code }]
    if (event.type === "vault.fills_expired")
      return event.fills.map((fill) => ({ agent, fill, status: "expired", code: null }))
    return []
  })

/** All rows first: a fill may end in the batch in which it began. Of several ends of one, the last counts. */
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
        update vault_log set status = ended.status, code = ended.code
        from jsonb_to_recordset(${rowsJson([...ends.values()])}::jsonb)
          as ended (agent text, fill integer, status text, code text)
        where vault_log.agent = ended.agent and vault_log.fill = ended.fill`.execute(trx)
  }

export const vaultProjection = logProjection({
  name: "vault",
  version: 1,
  reads: [{ kind: "vault", events: VAULT_EVENTS }],
  tables: [{ name: "vault_log", kind: "vault", actor: "agent" }],
  changes: (commits) => (commits.length === 0 ? null : writing(commits))
})

export const vaultLogQuery =
  (db: Kysely<Database>) =>
  async ({ agent, ...page }: Queries["vault_log"]["input"]): Promise<Queries["vault_log"]["output"]> => {
    const found = db.selectFrom("vault_log").where("agent", "=", agent)
    const { total, rows } = await pageOf(found.select(COUNTED), found.selectAll().orderBy("id", "desc"), page)
    return {
      total,
      items: rows.map((row): VaultLogLine => ({
        id: Number(row.id),
        at: row.at.toISOString(),
        event: row.event as VaultLogLine["event"],
        actor: row.actor,
        entry_id: row.entry,
        kind: row.kind as EntryKind | null,
        origin: row.origin,
        amount: row.amount,
        currency: row.currency,
        status: row.status as FillStatus | null,
        code: row.code
      }))
    }
  }
