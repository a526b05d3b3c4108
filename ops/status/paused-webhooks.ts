/** Webhooks whose deliveries an operator has paused. */
import type { Kysely } from "kysely"
import type { Database } from "../../actors/tables/database.ts"

export interface PausedWebhook {
  /** The agent's hub id. */
  readonly agent: string
  readonly handle: string
  /** ISO 8601. */
  readonly paused_at: string
}

const PAUSED_MAX = 20

/** Paused webhooks, oldest first. */
export const pausedWebhooks = async (db: Kysely<Database>): Promise<ReadonlyArray<PausedWebhook>> => {
  const rows = await db
    .selectFrom("paused_webhooks as p")
    .innerJoin("agents as a", "a.id", "p.agent")
    .select(["p.agent", "a.handle", "p.paused_at"])
    .orderBy("p.paused_at")
    .limit(PAUSED_MAX)
    .execute()
  return rows.map((row) => ({ ...row, paused_at: row.paused_at.toISOString() }))
}

export const pausedText = ({ handle, paused_at }: PausedWebhook): string =>
  `the webhook of @${handle} since ${paused_at}`
