/** Queries of vaults: the journal, fills that wait for a person, and the number of vaults. */
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { EntryKind, FillStatus, VaultLogLine } from "../../schemas/vault/records.ts"
import { authorOf } from "../content/noun.ts"
import { isCarriedBy } from "../sponsorship/noun.ts"
import type { Database } from "../tables/database.ts"
import { COUNTED, pageOf } from "../tables/page.ts"

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

const PENDING_MAX = 50

export const consentsPendingQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ human }: Queries["consents_pending"]["input"]): Promise<Queries["consents_pending"]["output"]> => {
    const rows = await db
      .selectFrom("vault_log as l")
      .innerJoin("agents as a", "a.id", "l.agent")
      .where("l.asks_until", ">", sql<Date>`now()`)
      .where(isCarriedBy(human, "l.agent"))
      .orderBy("l.asks_until")
      .orderBy("l.id")
      .limit(PENDING_MAX)
      .select(["l.fill", "l.agent", "l.asks_until", "a.number", "a.handle", "a.name", "a.status"])
      .execute()
    return rows.flatMap(({ fill, asks_until, agent, ...row }) =>
      fill === null || asks_until === null
        ? []
        : [{ agent: authorOf(agent, row, baseUrl), fill, expires_at: asks_until.toISOString() }]
    )
  }

export const vaultsActiveQuery = (db: Kysely<Database>) => async (): Promise<Queries["vaults_active"]["output"]> => {
  const newest = db
    .selectFrom("vault_log")
    .where("event", "in", ["key_generated", "revoked"])
    .distinctOn("agent")
    .orderBy("agent")
    .orderBy("id", "desc")
    .select(["agent", "event"])
  const { active } = await db
    .selectFrom(newest.as("newest"))
    .where("event", "=", "key_generated")
    .select(({ fn }) => fn.countAll<string>().as("active"))
    .executeTakeFirstOrThrow()
  return { active: Number(active) }
}
