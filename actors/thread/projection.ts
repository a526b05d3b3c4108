/**
 * The tables of threads and of replies. What a thread says of its replies is counted as they are written, so that both
 * are seen at once.
 */
import { sql, type Transaction } from "kysely"
import { excerptOf } from "../content/excerpt.ts"
import { searchedOf } from "../content/searched.ts"
import type { Database } from "../database.ts"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { type Logged, logProjection } from "../projections/projection.ts"
import { ReplyEvent } from "../reply/state.ts"
import { ThreadEvent } from "./state.ts"

type Trx = Transaction<Database>

const openThread = (trx: Trx, id: string, event: Extract<ThreadEvent, { type: "thread.opened" }>, at: string) => {
  const { author, category, kind, title, body, tags } = event
  return sql`
    insert into threads select n.* from (select ${id}::bigint as id, ${author}, ${category}, ${kind}, ${title}::text as title,
      ${body}::text as body, ${excerptOf(body)}, ${tags}::text[] as tags, 'open', null::bigint, 0, false, 0, 0, 0,
      ${at}::timestamptz as a, ${at}::timestamptz as c, ${at}::timestamptz as u, null::timestamptz,
      ''::tsvector) n
    on conflict (id) do nothing`.execute(trx)
}

const searchThread = (trx: Trx, id: string) =>
  sql`update threads t set search = ${searchedOf("t")} where t.id = ${id}`.execute(trx)

const editThread = async (trx: Trx, id: string, event: Extract<ThreadEvent, { type: "thread.edited" }>, at: string) => {
  const { title, body, tags, category } = event
  const edited = title !== undefined || body !== undefined || tags !== undefined
  await trx
    .updateTable("threads")
    .set({
      ...(title === undefined ? {} : { title }),
      ...(body === undefined ? {} : { body, excerpt: excerptOf(body) }),
      ...(tags === undefined ? {} : { tags: [...tags] }),
      ...(category === undefined ? {} : { category }),
      updated_at: at,
      ...(edited ? { edited_at: at } : {})
    })
    .where("id", "=", id)
    .execute()
  if (edited) await searchThread(trx, id)
}

const applyThread = async (trx: Trx, id: string, event: ThreadEvent, at: string): Promise<void> => {
  const changed = (change: Partial<{ status: string; accepted_reply_id: string | null; updated_at: string }>) =>
    trx.updateTable("threads").set(change).where("id", "=", id).execute()
  switch (event.type) {
    case "thread.opened":
      await openThread(trx, id, event, at)
      await searchThread(trx, id)
      return
    case "thread.edited":
      return editThread(trx, id, event, at)
    case "thread.status_changed":
      await changed({ status: event.status, updated_at: at })
      return
    case "thread.accepted":
      await changed({ status: "solved", accepted_reply_id: String(event.reply), updated_at: at })
      return
    case "thread.unaccepted":
      await sql`
        update threads set status = case when status = 'solved' then 'open' else status end, accepted_reply_id = null,
          updated_at = ${at} where id = ${id}`.execute(trx)
      return
    case "thread.voted":
      return tallied(trx, "threads", id, event)
    case "thread.deleted":
      await trx.deleteFrom("threads").where("id", "=", id).execute()
      return
    case "thread.replied":
    case "thread.reply_gone":
  }
}

const tallied = async (
  trx: Trx,
  table: "threads" | "replies",
  id: string,
  { upvotes, downvotes }: { readonly upvotes: number; readonly downvotes: number }
): Promise<void> => {
  await trx
    .updateTable(table)
    .set({ upvotes, downvotes, score: upvotes - downvotes })
    .where("id", "=", id)
    .execute()
}

const applyReply = async (trx: Trx, id: string, event: ReplyEvent, at: string): Promise<void> => {
  switch (event.type) {
    case "reply.written": {
      const { thread, parent, author, body } = event
      const of = { thread: String(thread), parent: parent === null ? null : String(parent.reply) }
      const none = { upvotes: 0, downvotes: 0, score: 0, deleted: false, edited_at: null }
      await trx
        .insertInto("replies")
        .values({ id, ...of, author, body, ...none, created_at: at })
        .execute()
      await sql`
        update threads set reply_count = reply_count + 1, last_activity_at = greatest(last_activity_at, ${at})
        where id = ${thread}`.execute(trx)
      return
    }
    case "reply.edited":
      await trx.updateTable("replies").set({ body: event.body, edited_at: at }).where("id", "=", id).execute()
      return
    case "reply.voted":
      return tallied(trx, "replies", id, event)
    case "reply.deleted":
      // Its place stays for those that answer it.
      await trx.updateTable("replies").set({ deleted: true, body: "" }).where("id", "=", id).execute()
      await sql`update threads set reply_count = reply_count - 1 where id = ${event.thread}`.execute(trx)
  }
}

const write = async (trx: Trx, commits: ReadonlyArray<Logged>): Promise<void> => {
  for (const { kind, id, commit } of commits) {
    const at = new Date(commit.at).toISOString()
    if (kind === "thread") for (const event of eventsOf(ThreadEvent, commit)) await applyThread(trx, id, event, at)
    else for (const event of eventsOf(ReplyEvent, commit)) await applyReply(trx, id, event, at)
  }
}

export const threadProjection = logProjection({
  name: "thread",
  version: 1,
  reads: [
    { kind: "thread", events: inventoryOf(ThreadEvent) },
    { kind: "reply", events: inventoryOf(ReplyEvent) }
  ],
  tables: [
    { name: "threads", kind: "thread", actor: null },
    { name: "replies", kind: "reply", actor: "id" }
  ],
  changes: (commits) => (trx) => write(trx, commits)
})
