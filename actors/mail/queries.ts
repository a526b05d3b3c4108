/** Reads the tables of mail. Their content is sealed. */
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { SendingStatus } from "../../schemas/mail/sent.ts"
import type { Database } from "../tables/database.ts"
import { COUNTED, pageOf } from "../tables/page.ts"

type Sendings = Queries["mail_rows"]["output"]["items"][number]["sendings"]

type Box = "inbox" | "sent"

export const mailRowsQuery =
  (db: Kysely<Database>) =>
  async (wanted: Queries["mail_rows"]["input"]): Promise<Queries["mail_rows"]["output"]> => {
    const { agent, box, thread, unread, words, minutes } = wanted
    let found = db.selectFrom("mails").where("agent", "=", agent)
    if (box !== "all") found = found.where("box", "=", box)
    if (thread !== null) found = found.where("thread", "=", String(thread))
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
    const sendings = await sendingsOf(
      db,
      rows.filter((row) => row.box === "sent").map(({ id }) => id)
    )
    return {
      total,
      items: rows.map((row) => ({
        id: Number(row.id),
        box: row.box as Box,
        mailbox: Number(row.mailbox),
        thread: Number(row.thread),
        envelope: row.envelope,
        received_at: row.received_at.toISOString(),
        read_at: row.read_at?.toISOString() ?? null,
        sendings: sendings.get(row.id) ?? []
      }))
    }
  }

const sendingsOf = async (
  db: Kysely<Database>,
  mails: ReadonlyArray<string>
): Promise<ReadonlyMap<string, Sendings>> => {
  if (mails.length === 0) return new Map()
  const rows = await db.selectFrom("mail_sendings").where("mail", "in", mails).orderBy("n").selectAll().execute()
  return Map.groupBy(
    rows.map(({ status, ...row }) => ({ ...row, status: status as SendingStatus })),
    ({ mail }) => mail
  )
}

/** A thread's list entry has its first message, and so many of its newest ones. */
const NEWEST_SHOWN = 10

export const mailThreadRowsQuery =
  (db: Kysely<Database>) =>
  async ({
    agent,
    page,
    per_page
  }: Queries["mail_thread_rows"]["input"]): Promise<Queries["mail_thread_rows"]["output"]> => {
    const { rows: counts } = await sql<{ total: string }>`
      select count(distinct thread) as total from mails where agent = ${agent}`.execute(db)
    const { rows } = await sql<{
      thread: string
      messages: string
      unread: string
      last_at: Date
      envelopes: Queries["mail_thread_rows"]["output"]["items"][number]["envelopes"]
    }>`
      select t.*, (
        select jsonb_agg(jsonb_build_object('id', m.id, 'box', m.box, 'mailbox', m.mailbox, 'envelope', m.envelope) order by m.id)
        from (
          (select id, box, mailbox, envelope from mails where agent = ${agent} and thread = t.thread order by id limit 1)
          union
          (select id, box, mailbox, envelope from mails where agent = ${agent} and thread = t.thread
            order by id desc limit ${NEWEST_SHOWN})
        ) m) as envelopes
      from (
        select thread, count(*) as messages, count(*) filter (where read_at is null) as unread,
          max(received_at) as last_at, max(id) as newest
        from mails where agent = ${agent} group by thread order by newest desc
        limit ${per_page} offset ${(page - 1) * per_page}
      ) t order by t.newest desc`.execute(db)
    return {
      total: Number(counts[0]?.total ?? 0),
      items: rows.map(({ thread, messages, unread, last_at, envelopes }) => ({
        thread: Number(thread),
        messages: Number(messages),
        unread: Number(unread),
        last_at: last_at.toISOString(),
        envelopes
      }))
    }
  }

export const mailThreadOfQuery =
  (db: Kysely<Database>) =>
  async ({ agent, mail }: Queries["mail_thread_of"]["input"]): Promise<Queries["mail_thread_of"]["output"]> => {
    const row = await db
      .selectFrom("mails")
      .where("id", "=", String(mail))
      .where("agent", "=", agent)
      .select("thread")
      .executeTakeFirst()
    return { thread: row === undefined ? null : Number(row.thread) }
  }

export const mailEventRowsQuery =
  (db: Kysely<Database>) =>
  async (wanted: Queries["mail_event_rows"]["input"]): Promise<Queries["mail_event_rows"]["output"]> => {
    const found = db.selectFrom("mail_events").where("agent", "=", wanted.agent)
    const { total, rows } = await pageOf(found.select(COUNTED), found.selectAll().orderBy("id", "desc"), wanted)
    return {
      total,
      items: rows.map(({ id, at, event, mailbox, mail, sealed, detail }) => ({
        id: Number(id),
        at: at.toISOString(),
        event,
        mailbox: Number(mailbox),
        mail: mail === null ? null : Number(mail),
        sealed,
        detail
      }))
    }
  }

export const mailSuppressionRowsQuery =
  (db: Kysely<Database>) =>
  async (wanted: Queries["mail_suppression_rows"]["input"]): Promise<Queries["mail_suppression_rows"]["output"]> => {
    const found = db.selectFrom("mail_suppressions")
    const newest = found.selectAll().orderBy("since", "desc").orderBy("id")
    const { total, rows } = await pageOf(found.select(COUNTED), newest, wanted)
    return {
      total,
      items: rows.map(({ id, reason, since, sealed }) => ({ id, reason, since: since.toISOString(), sealed }))
    }
  }
