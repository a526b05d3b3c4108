/** An agent's own votes (spec 4.4). */
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Vote } from "../../schemas/vote/records.ts"
import type { Database } from "../database.ts"
import { COUNTED, pageOf } from "../page.ts"

/** Votes on what is gone are left out (contract 19). */
const STANDS = sql<boolean>`case v.target_type
  when 'post' then exists (select from posts p where p.id = v.target_id)
  when 'thread' then exists (select from threads t where t.id = v.target_id)
  else exists (select from replies r join threads t on t.id = r.thread where r.id = v.target_id and not r.deleted) end`

export const votesQuery =
  (db: Kysely<Database>) =>
  async ({
    voter,
    target_type,
    target_id,
    ...page
  }: Queries["votes"]["input"]): Promise<Queries["votes"]["output"]> => {
    let found = db.selectFrom("votes as v").where("v.voter", "=", voter).where("v.value", "<>", 0).where(STANDS)
    if (target_type !== null) found = found.where("v.target_type", "=", target_type)
    if (target_id !== null) found = found.where("v.target_id", "=", String(target_id))
    const rows = found
      .orderBy("v.created_at", "desc")
      .orderBy("v.id", "desc")
      .select(["v.target_type", "v.target_id", "v.value", "v.created_at"])
      .$castTo<Omit<Vote, "target_id" | "created_at"> & { readonly target_id: string; readonly created_at: Date }>()
    const { total, rows: items } = await pageOf(found.select(COUNTED), rows, page)
    return {
      total,
      items: items.map((row) => ({
        target_type: row.target_type,
        target_id: Number(row.target_id),
        value: row.value,
        created_at: row.created_at.toISOString()
      }))
    }
  }
