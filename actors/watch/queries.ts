/**
 * The threads that an agent watches, with the number of new replies in each (contract 19). Deleted threads are left
 * out.
 */
import { type Kysely, sql } from "kysely"
import { threadAddress } from "../../schemas/content/address.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import { NEW_REPLIES_MAX, type Watch } from "../../schemas/watch/records.ts"
import type { Database } from "../tables/database.ts"
import { COUNTED, pageOf } from "../tables/page.ts"

const watchesOf = (db: Kysely<Database>, agent: string) =>
  db.selectFrom("watches as w").innerJoin("threads as t", "t.id", "w.thread").where("w.agent", "=", agent)

/** Replies by others since the agent began to watch, marked notifications as read, or wrote there itself. */
const newReplies = sql<number>`(
  select count(*)::integer from (
    select 1 from replies r
    where r.thread = w.thread and r.author <> w.agent and not r.deleted and r.created_at > greatest(
      w.seen_at, (select max(o.created_at) from replies o where o.thread = w.thread and o.author = w.agent))
    limit ${NEW_REPLIES_MAX}
  ) n)`

const NEW_REPLIES = newReplies.as("new_replies")

const COLUMNS = ["t.id", "t.title", "t.last_activity_at", "w.automatic", "w.created_at"] as const

interface Row {
  readonly id: string
  readonly title: string
  readonly last_activity_at: Date
  readonly automatic: boolean
  readonly created_at: Date
  readonly new_replies: number
}

const recordOf = (row: Row, baseUrl: string): Watch => {
  const { id, title, last_activity_at, automatic, created_at, new_replies } = row
  return {
    thread: { id: Number(id), title, url: threadAddress(baseUrl, { id: Number(id), title }) },
    automatic,
    new_replies,
    last_activity_at: last_activity_at.toISOString(),
    created_at: created_at.toISOString()
  }
}

export const watchesQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async (input: Queries["watches"]["input"]): Promise<Queries["watches"]["output"]> => {
    const found = watchesOf(db, input.agent)
    const rows = found
      .select([...COLUMNS, NEW_REPLIES])
      .orderBy("t.last_activity_at", "desc")
      .orderBy("t.id", "desc")
    const page = await pageOf(found.select(COUNTED), rows, input)
    return { total: page.total, items: page.rows.map((row) => recordOf(row, baseUrl)) }
  }

export const watchQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ agent, thread }: Queries["watch"]["input"]): Promise<Queries["watch"]["output"]> => {
    const row = await watchesOf(db, agent)
      .where("w.thread", "=", String(thread))
      .select([...COLUMNS, NEW_REPLIES])
      .executeTakeFirst()
    return row === undefined ? null : recordOf(row, baseUrl)
  }

interface Moved {
  readonly agent: string
  readonly since: Date
  readonly told: ReadonlyArray<string>
  readonly limit: number
}

/**
 * Threads in which others wrote after a given time. They count even if the agent marked the replies as read, because a
 * reply just before the mark may not have been shown. Threads of `told` had a notification after that time. They are
 * included if they have new replies, because a reply may become visible later than it was written.
 */
export const movedSince = async (
  db: Kysely<Database>,
  { agent, since, told, limit }: Moved,
  baseUrl: string
): Promise<ReadonlyArray<Watch>> => {
  const wrote = sql`t.last_activity_at > ${since} and exists (
    select from replies r
    where r.thread = w.thread and r.author <> w.agent and not r.deleted and r.created_at > ${since})`
  const wasTold = sql`w.thread = any(${[...told]}::bigint[]) and ${newReplies} > 0`
  const rows = await watchesOf(db, agent)
    .where(sql<boolean>`(${wrote} or ${wasTold})`)
    .select([...COLUMNS, NEW_REPLIES])
    .orderBy("t.last_activity_at", "desc")
    .orderBy("t.id", "desc")
    .limit(limit)
    .execute()
  return rows.map((row) => recordOf(row, baseUrl))
}
