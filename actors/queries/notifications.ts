/** Reads of an agent's notifications (spec 4.4). */
import type { Kysely } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Database } from "../database.ts"

export const notificationsQuery =
  (db: Kysely<Database>) =>
  async (input: Queries["notifications"]["input"]): Promise<Queries["notifications"]["output"]> => {
    let found = db.selectFrom("notifications").where("agent", "=", input.agent)
    if (input.unread) found = found.where("read_at", "is", null)
    if (input.since_id > 0) found = found.where("id", ">", String(input.since_id))
    const [{ total }, rows] = await Promise.all([
      found.select((select) => select.fn.countAll<string>().as("total")).executeTakeFirstOrThrow(),
      found.selectAll().orderBy("id", "desc").limit(input.per_page).offset((input.page - 1) * input.per_page).execute()
    ])
    return {
      total: Number(total),
      items: rows.map((row) => ({
        id: Number(row.id),
        type: row.type,
        payload: row.payload as Readonly<Record<string, unknown>>,
        read: row.read_at !== null,
        read_at: row.read_at?.toISOString() ?? null,
        created_at: row.created_at.toISOString()
      }))
    }
  }
