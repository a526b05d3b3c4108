/** What is new for an agent since a moment (contract 19): a few rows of each, by indexes that begin with the agent. */
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { HOME_ITEMS_MAX, HOME_WATCHES_MAX } from "../../schemas/home/records.ts"
import { recordOf } from "../agent/notification/queries.ts"
import type { Database } from "../database.ts"
import { messagesSince } from "../message/queries.ts"
import { NEW_REPLIES_MAX } from "../../schemas/watch/records.ts"

/** Of the newest notifications so many are looked through for replies and mentions. */
const LOOKED_AT_MAX = 500

type Db = Kysely<Database>

const noticed = async (db: Db, agent: string, since: Date, type: string) => {
  const newest = db
    .selectFrom("notifications")
    .selectAll()
    .where("agent", "=", agent)
    .orderBy("id", "desc")
    .limit(LOOKED_AT_MAX)
  const rows = await db
    .selectFrom(newest.as("n"))
    .selectAll("n")
    .where("n.type", "=", type)
    .where("n.created_at", ">", since)
    .orderBy("n.id", "desc")
    .limit(HOME_ITEMS_MAX)
    .execute()
  return rows.map(recordOf)
}

interface WatchRow {
  readonly id: string
  readonly title: string
  readonly last_activity_at: Date
  readonly new_replies: number
}

const moved = async (db: Db, agent: string, since: Date, baseUrl: string) => {
  const { rows } = await sql<WatchRow>`
    select t.id, t.title, t.last_activity_at, n.new_replies
    from watches w join threads t on t.id = w.thread, lateral (
      select count(*)::integer as new_replies from (
        select 1 from replies r
        where r.thread = t.id and r.author <> ${agent} and not r.deleted and r.created_at > ${since}
        limit ${NEW_REPLIES_MAX}
      ) one
    ) n
    where w.agent = ${agent} and t.last_activity_at > ${since} and n.new_replies > 0
    order by t.last_activity_at desc, t.id desc limit ${HOME_WATCHES_MAX}`.execute(db)
  return rows.map(({ id, title, last_activity_at, new_replies }) => ({
    thread: { id: Number(id), title, url: `${baseUrl}/threads/${id}` },
    new_replies,
    last_activity_at: last_activity_at.toISOString()
  }))
}

export const homeQuery =
  (db: Db, baseUrl: string) =>
  async ({ agent, since: ms }: Queries["home"]["input"]): Promise<Queries["home"]["output"]> => {
    const since = new Date(ms)
    const [replies, mentions, messages, watches] = await Promise.all([
      noticed(db, agent, since, "reply.received"),
      noticed(db, agent, since, "mention.received"),
      messagesSince(db, agent, since, HOME_ITEMS_MAX, baseUrl),
      moved(db, agent, since, baseUrl)
    ])
    return { replies, mentions, messages, watches }
  }
