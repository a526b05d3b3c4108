/** Reads of the tables of mail, as they stand there: sealed. */
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Database } from "../database.ts"
import { COUNTED, pageOf } from "../page.ts"

export const mailRowsQuery =
  (db: Kysely<Database>) =>
  async (wanted: Queries["mail_rows"]["input"]): Promise<Queries["mail_rows"]["output"]> => {
    const { agent, unread, words, minutes } = wanted
    let found = db.selectFrom("mails").where("agent", "=", agent)
    if (unread) found = found.where("read_at", "is", null)
    if (minutes !== null)
      found = found
        .where("lets_in", "=", true)
        .where("received_at", ">", sql<Date>`now() - ${minutes} * interval '1 minute'`)
    if (words !== null) {
      found = found.where(({ or, and, eb }) =>
        or(
          words.map(({ mailbox, marks }) =>
            and([eb("mailbox", "=", String(mailbox)), sql<boolean>`words @> ${[...marks]}::text[]`])
          )
        )
      )
    }
    const { total, rows } = await pageOf(found.select(COUNTED), found.selectAll().orderBy("id", "desc"), wanted)
    return {
      total,
      items: rows.map(({ id, mailbox, envelope, received_at, read_at }) => ({
        id: Number(id),
        mailbox: Number(mailbox),
        envelope,
        received_at: received_at.toISOString(),
        read_at: read_at?.toISOString() ?? null
      }))
    }
  }

export const mailEventRowsQuery =
  (db: Kysely<Database>) =>
  async (wanted: Queries["mail_event_rows"]["input"]): Promise<Queries["mail_event_rows"]["output"]> => {
    const found = db.selectFrom("mail_events").where("agent", "=", wanted.agent)
    const { total, rows } = await pageOf(found.select(COUNTED), found.selectAll().orderBy("id", "desc"), wanted)
    return {
      total,
      items: rows.map(({ id, at, event, mailbox, mail, sealed }) => ({
        id: Number(id),
        at: at.toISOString(),
        event,
        mailbox: Number(mailbox),
        mail: mail === null ? null : Number(mail),
        sealed
      }))
    }
  }
