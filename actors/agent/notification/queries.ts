/** Reads of an agent's notifications (spec 4.4). */
import { type Kysely, type Selectable, sql } from "kysely"
import type { Queries } from "../../../schemas/bus/operations.ts"
import type { Notification } from "../../../schemas/notification/api.ts"
import { completed, wantedBy } from "../../../schemas/notification/completed.ts"
import type { Database } from "../../tables/database.ts"
import { COUNTED, pageOf } from "../../tables/page.ts"
import type { MailsOf } from "../../queries/serve.ts"
import type { WordsOf } from "../../queries/serve.ts"
import type { People } from "../../queries/serve.ts"

type Row = Selectable<Database["notifications"]>

/** Services that know values which are in no table: people's names, owners' words and the text of mail. */
export interface Knowing {
  readonly people: People
  readonly words: WordsOf
  readonly mails: MailsOf
}

const NOTHING_SAID: ReadonlyMap<number, string> = new Map()

export const recordsOf = async (
  rows: ReadonlyArray<Row>,
  { people, words, mails }: Knowing
): Promise<ReadonlyArray<Notification>> => {
  const records = rows.map(recordOf)
  const wanting = records.map(({ type, payload }) => wantedBy(type, payload))
  const humans = wanting.flatMap((one) => (one?.of === "person" ? [one.human] : []))
  const messages = wanting.flatMap((one) => (one?.of === "person" && one.message !== null ? [one.message] : []))
  const letters = wanting.flatMap((one) => (one?.of === "mail" ? [one.mail] : []))
  if (humans.length + letters.length === 0) return records
  const [named, said, mail] = await Promise.all([
    people(humans),
    messages.length === 0 ? NOTHING_SAID : words(messages),
    mails(letters)
  ])
  return records.map((record, index) => {
    const one = wanting[index] ?? null
    if (one === null) return record
    const added =
      one.of === "mail"
        ? { name: null, text: null, mail: mail.get(one.mail) ?? null }
        : {
            name: named.get(one.human)?.name ?? null,
            text: one.message === null ? null : (said.get(one.message) ?? null),
            mail: null
          }
    return { ...record, payload: completed(record.type, record.payload, one, added) }
  })
}

const recordOf = (row: Row): Notification => ({
  id: Number(row.id),
  type: row.type,
  payload: row.payload as Readonly<Record<string, unknown>>,
  read: row.read_at !== null,
  read_at: row.read_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString()
})

export const notificationsQuery =
  (db: Kysely<Database>, knowing: Knowing) =>
  async (input: Queries["notifications"]["input"]): Promise<Queries["notifications"]["output"]> => {
    let found = db.selectFrom("notifications").where("agent", "=", input.agent)
    if (input.unread) found = found.where("read_at", "is", null)
    if (input.since_id > 0) found = found.where("id", ">", String(input.since_id))
    const { total, rows } = await pageOf(found.select(COUNTED), found.selectAll().orderBy("id", "desc"), input)
    return { total, items: await recordsOf(rows, knowing) }
  }

/**
 * The id after which unread notifications begin, or the newest id if all are read; 0 if there are none. It is one
 * statement, so that both parts come from the same snapshot of the data.
 */
const startOf = async (db: Kysely<Database>, agent: string): Promise<number> => {
  const { rows } = await sql<{ readonly start: string }>`
    select coalesce(
      (select min(id) - 1 from notifications where agent = ${agent} and read_at is null),
      (select max(id) from notifications where agent = ${agent}),
      0
    ) as start`.execute(db)
  return Number(rows[0]?.start ?? 0)
}

export const notificationsAfterQuery =
  (db: Kysely<Database>, knowing: Knowing) =>
  async ({
    agent,
    since_id,
    limit
  }: Queries["notifications_after"]["input"]): Promise<Queries["notifications_after"]["output"]> => {
    const start = since_id ?? (await startOf(db, agent))
    const rows = await db
      .selectFrom("notifications")
      .selectAll()
      .where("agent", "=", agent)
      .where("id", ">", String(start))
      .orderBy("id")
      .limit(limit)
      .execute()
    return { since_id: start, items: await recordsOf(rows, knowing) }
  }

export const notificationsNewestQuery =
  (db: Kysely<Database>) =>
  async ({ agents }: Queries["notifications_newest"]["input"]): Promise<Queries["notifications_newest"]["output"]> => {
    const { rows } = await sql<{ readonly agent: string; readonly id: string }>`
      select asked.agent, newest.id from unnest(${[...agents]}::text[]) as asked(agent)
      cross join lateral (select id from notifications n where n.agent = asked.agent order by id desc limit 1) as newest`.execute(
      db
    )
    return rows.map(({ agent, id }) => [agent, Number(id)] as const)
  }
