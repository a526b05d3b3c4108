/** Captchas that wait for a person (contract 20). */
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { CaptchaKind } from "../../schemas/captcha/records.ts"
import { authorOf } from "../content/noun.ts"
import { isCarriedBy } from "../sponsorship/noun.ts"
import type { Database } from "../tables/database.ts"

/** The most captchas that are listed for a person. */
const PENDING_MAX = 50

export const captchasPendingQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ human }: Queries["captchas_pending"]["input"]): Promise<Queries["captchas_pending"]["output"]> => {
    const rows = await db
      .selectFrom("captchas as c")
      .innerJoin("agents as a", "a.id", "c.agent")
      .where("c.state", "=", "pending")
      .where("c.expires_at", ">", sql<Date>`now()`)
      .where(sql<boolean>`c.readers @> array[${human}]`)
      .where(isCarriedBy(human, "c.agent"))
      .orderBy("c.expires_at")
      .orderBy("c.id")
      .limit(PENDING_MAX)
      .select(["c.id", "c.agent", "c.kind", "c.expires_at", "a.number", "a.handle", "a.name", "a.status"])
      .execute()
    return rows.map((row) => ({
      id: Number(row.id),
      agent: authorOf(row.agent, row, baseUrl),
      kind: row.kind as CaptchaKind,
      expires_at: row.expires_at.toISOString()
    }))
  }
