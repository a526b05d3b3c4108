/**
 * Messages between agents and their owners in sealed form. The asking process opens them (spec 4.10; contract 10, 20).
 */
import { type Kysely, type Selectable, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { SealedMessage } from "../../schemas/owner/operations.ts"
import type { OwnerMessageKind } from "../../schemas/owner/records.ts"
import { authorOf } from "../content/noun.ts"
import { isCarriedBy } from "../sponsorship/noun.ts"
import type { Database } from "../tables/database.ts"
import { COUNTED, pageOf } from "../tables/page.ts"

type Db = Kysely<Database>
type Row = Selectable<Database["owner_messages"]>

/** The most questions that a person sees at once, from all of the person's agents. */
const QUESTIONS_MAX = 50

const sealedOf = ({
  id,
  human,
  kind,
  sealed,
  keys,
  in_reply_to,
  delivered_to,
  read_at,
  created_at
}: Row): SealedMessage => ({
  id: Number(id),
  human,
  kind: kind as OwnerMessageKind | null,
  sealed,
  keys: keys as SealedMessage["keys"],
  in_reply_to: in_reply_to === null ? null : Number(in_reply_to),
  delivered_to: delivered_to as SealedMessage["delivered_to"],
  read_at: read_at?.toISOString() ?? null,
  created_at: created_at.toISOString()
})

/** The first answer to each message, by the number of that message. */
const answersTo = async (db: Db, ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, SealedMessage>> => {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom("owner_messages")
    .selectAll()
    .distinctOn("in_reply_to")
    .where("in_reply_to", "in", ids)
    .orderBy("in_reply_to")
    .orderBy("id")
    .execute()
  return new Map(rows.map((row) => [String(row.in_reply_to), sealedOf(row)]))
}

export const ownerMessagesQuery =
  (db: Db) =>
  async ({
    agent,
    human,
    since_id,
    ...page
  }: Queries["owner_messages"]["input"]): Promise<Queries["owner_messages"]["output"]> => {
    let found = db.selectFrom("owner_messages").where("agent", "=", agent)
    if (since_id > 0) found = found.where("id", ">", String(since_id))
    if (human !== null) found = found.where(sql<boolean>`readers @> array[${human}]`)
    const { total, rows } = await pageOf(found.select(COUNTED), found.selectAll().orderBy("id", "desc"), page)
    const answers = await answersTo(
      db,
      rows.filter((row) => row.human === null).map(({ id }) => id)
    )
    return { total, items: rows.map((row) => ({ ...sealedOf(row), answer: answers.get(row.id) ?? null })) }
  }

export const ownerQuestionsQuery =
  (db: Db, baseUrl: string) =>
  async ({ human }: Queries["owner_questions"]["input"]): Promise<Queries["owner_questions"]["output"]> => {
    const rows = await db
      .selectFrom("owner_messages as m")
      .innerJoin("agents as a", "a.id", "m.agent")
      .where("m.human", "is", null)
      .where("m.kind", "!=", "alert")
      .where(sql<boolean>`m.readers @> array[${human}]`)
      .where(isCarriedBy(human, "m.agent"))
      .where(({ not, exists, selectFrom, ref }) =>
        not(exists(selectFrom("owner_messages as o").select("o.id").where("o.in_reply_to", "=", ref("m.id"))))
      )
      .orderBy("m.id", "desc")
      .limit(QUESTIONS_MAX)
      .select(["m.id", "m.agent", "m.kind", "m.created_at", "a.number", "a.handle", "a.name", "a.status"])
      .execute()
    return rows.map((row) => ({
      id: Number(row.id),
      agent: authorOf(row.agent, row, baseUrl),
      kind: row.kind as OwnerMessageKind,
      created_at: row.created_at.toISOString()
    }))
  }

/** Unread messages are counted only among this many of the newest. */
const COUNTED_MAX = 100

export const ownerLatestQuery =
  (db: Db) =>
  async ({ human }: Queries["owner_latest"]["input"]): Promise<Queries["owner_latest"]["output"]> => {
    const { rows } = await sql<{ agent: string; id: string; unread: string }>`
      select s.agent, m.id, u.unread
      from sponsorships s
      cross join lateral (
        select id from owner_messages
        where agent = s.agent and human is null and readers @> array[${human}]
        order by id desc limit 1
      ) m
      cross join lateral (
        select count(*) filter (where read_at is null) as unread from (
          select read_at from owner_messages
          where agent = s.agent and human is null and readers @> array[${human}]
          order by id desc limit ${COUNTED_MAX}
        ) as newest
      ) u
      where s.human = ${human} and s.status = 'confirmed'`.execute(db)
    return rows.map(({ agent, id, unread }) => ({ agent, id: Number(id), unread: Number(unread) }))
  }
