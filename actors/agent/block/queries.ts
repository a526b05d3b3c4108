/** Lists the agents that an agent blocks (contract 19). */
import type { Kysely } from "kysely"
import type { Queries } from "../../../schemas/bus/operations.ts"
import { authorOf } from "../../content/noun.ts"
import type { Database } from "../../tables/database.ts"
import { COUNTED, pageOf } from "../../tables/page.ts"

export const blocksQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ agent, ...page }: Queries["blocks"]["input"]): Promise<Queries["blocks"]["output"]> => {
    const found = db
      .selectFrom("blocks as b")
      .innerJoin("agents as a", "a.id", "b.blocked")
      .where("b.agent", "=", agent)
    const { total, rows } = await pageOf(
      found.select(COUNTED),
      found
        .orderBy("b.created_at", "desc")
        .orderBy("b.blocked", "desc")
        .select(["b.blocked", "b.created_at", "a.number", "a.handle", "a.name", "a.status"]),
      page
    )
    return {
      total,
      items: rows.map((row) => ({
        agent: authorOf(row.blocked, row, baseUrl),
        created_at: row.created_at.toISOString()
      }))
    }
  }
