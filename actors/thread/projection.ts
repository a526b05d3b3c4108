/**
 * The tables of threads and of replies. A thread's counts change in the transaction that writes its replies, so that
 * both become visible together.
 *
 * A batch is folded into rows first (rows.ts). The number of statements that write them depends on their bytes, not on
 * the number of rows.
 */
import { sql, type Transaction } from "kysely"
import { writeBack, writeHidden, BARE, MADE, type Made, withExcerpts, writeSearched } from "../content/noun.ts"
import type { Database } from "../tables/database.ts"
import { inventoryOf } from "../engine/events.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson, rowsJsonPieces } from "../tables/rows.ts"
import { ReplyEvent } from "../reply/noun.ts"
import { type ReplyRows, rowsOf, type ThreadRows } from "./rows.ts"
import { ThreadEvent } from "./state.ts"

type Trx = Transaction<Database>

const writeThreads = async (trx: Trx, { opened, changed }: ThreadRows, made: Made): Promise<void> => {
  for await (const rows of rowsJsonPieces(withExcerpts(opened.values(), made))) {
    await sql`
      insert into threads (id, author, category, kind, title, body, excerpt, tags, status, accepted_reply_id,
        status_reason, reply_count, pinned, upvotes, downvotes, score, last_activity_at, created_at, updated_at,
        edited_at)
      select t.id, t.author, t.category, t.kind, t.title, t.body, t.excerpt, t.tags, t.status, t.accepted_reply_id,
        case when t.status in ('closed', 'locked') then t.status_reason end, 0, coalesce(t.pinned, false), 0, 0, 0,
        t.created_at, t.created_at, t.updated_at, t.edited_at
      from jsonb_populate_recordset(null::threads, ${rows}::jsonb) t
      on conflict (id) do nothing`.execute(trx)
  }
  for await (const rows of rowsJsonPieces(withExcerpts(changed.values(), made))) {
    await sql`
      update threads t set title = coalesce(n.title, t.title), body = coalesce(n.body, t.body),
        excerpt = coalesce(n.excerpt, t.excerpt), tags = coalesce(n.tags, t.tags),
        category = coalesce(n.category, t.category),
        status = coalesce(n.status, case when n.unsolved and t.status = 'solved' then 'open' else t.status end),
        status_reason = case when coalesce(n.status, t.status) not in ('closed', 'locked') then null
          when n.reasoned then n.status_reason else t.status_reason end,
        accepted_reply_id = case when n.judged then n.accepted_reply_id else t.accepted_reply_id end,
        pinned = coalesce(n.pinned, t.pinned), updated_at = coalesce(n.updated_at, t.updated_at),
        edited_at = coalesce(n.edited_at, t.edited_at)
      from jsonb_to_recordset(${rows}::jsonb) n (id bigint, title text, body text, excerpt text, tags text[],
        pinned boolean, category text, status text, status_reason text, reasoned boolean,
        unsolved boolean, accepted_reply_id bigint, judged boolean,
        updated_at timestamptz, edited_at timestamptz)
      where t.id = n.id`.execute(trx)
  }
}

const writeReplies = async (trx: Trx, { written, changed }: ReplyRows): Promise<void> => {
  for await (const rows of rowsJsonPieces(written.values())) {
    await sql`
      insert into replies (id, thread, parent, author, body, upvotes, downvotes, score, deleted, created_at, edited_at,
        hidden)
      select r.id, r.thread, r.parent, r.author, r.body, 0, 0, 0, r.deleted, r.created_at, r.edited_at, false
      from jsonb_populate_recordset(null::replies, ${rows}::jsonb) r`.execute(trx)
  }
  for await (const rows of rowsJsonPieces(changed.values())) {
    await sql`
      update replies r set body = coalesce(n.body, r.body), deleted = coalesce(n.deleted, r.deleted),
        edited_at = coalesce(n.edited_at, r.edited_at)
      from jsonb_to_recordset(${rows}::jsonb) n (id bigint, body text, deleted boolean, edited_at timestamptz)
      where r.id = n.id`.execute(trx)
  }
}

const writeTallies = async (trx: Trx, table: "threads" | "replies", voted: ThreadRows["voted"]): Promise<void> => {
  if (voted.size === 0) return
  await sql`
    update ${sql.table(table)} x set upvotes = n.upvotes, downvotes = n.downvotes, score = n.upvotes - n.downvotes
    from jsonb_to_recordset(${rowsJson([...voted.values()])}::jsonb) n (id bigint, upvotes integer, downvotes integer)
    where x.id = n.id`.execute(trx)
}

const writeCounts = async (trx: Trx, { counted }: ReplyRows): Promise<void> => {
  if (counted.size === 0) return
  await sql`
    update threads t set reply_count = t.reply_count + n.more,
      last_activity_at = greatest(t.last_activity_at, n.last_activity_at)
    from jsonb_to_recordset(${rowsJson([...counted.values()])}::jsonb) n (id bigint, more integer,
      last_activity_at timestamptz)
    where t.id = n.id`.execute(trx)
}

const writeRestoredReplies = async (trx: Trx, { hiding: { restored } }: ReplyRows): Promise<void> => {
  if (restored.size === 0) return
  const ids = [...restored]
  await sql`
    update replies r set deleted = false, hidden = false, body = h.body
    from hidden_replies h where h.id = r.id and h.id = any(${ids}::bigint[])`.execute(trx)
  await sql`delete from hidden_replies where id = any(${ids}::bigint[])`.execute(trx)
}

/** A hidden reply keeps its place, as a deleted one does. Its text is stored separately. */
const writeHiddenReplies = async (trx: Trx, { hiding: { hidden }, deleted }: ReplyRows): Promise<void> => {
  const rows = [...hidden].flatMap(([id, reason]) => (reason === null || deleted.has(id) ? [] : [{ id, reason }]))
  if (rows.length > 0) {
    await sql`
      insert into hidden_replies (id, reason, body) select r.id, n.reason, r.body
      from jsonb_to_recordset(${rowsJson(rows)}::jsonb) n (id bigint, reason text) join replies r on r.id = n.id
      on conflict (id) do nothing`.execute(trx)
    const ids = rows.map(({ id }) => id)
    await sql`
      update replies set deleted = true, hidden = true, body = '' where id = any(${ids}::bigint[])`.execute(trx)
  }
  if (deleted.size > 0) {
    await sql`update replies set hidden = false where id = any(${[...deleted]}::bigint[]) and hidden`.execute(trx)
    await sql`delete from hidden_replies where id = any(${[...deleted]}::bigint[])`.execute(trx)
  }
}

const writeDeleted = async (trx: Trx, { deleted }: ThreadRows): Promise<void> => {
  if (deleted.size === 0) return
  await sql`delete from threads where id = any(${[...deleted]}::bigint[])`.execute(trx)
  await sql`delete from hidden_threads where id = any(${[...deleted]}::bigint[])`.execute(trx)
}

const changing =
  (made: Made) =>
  (commits: ReadonlyArray<Logged>): Change => {
    const { threads, replies } = rowsOf(commits)
    return async (trx) => {
      const { changed, voted, hiding } = threads
      const touched = [...changed.keys(), ...voted.keys(), ...replies.counted.keys(), ...hiding.hidden.keys()]
      const were = await writeBack(trx, "threads", touched)
      await writeThreads(trx, threads, made)
      await writeRestoredReplies(trx, replies)
      await writeReplies(trx, replies)
      await writeTallies(trx, "threads", threads.voted)
      await writeTallies(trx, "replies", replies.voted)
      await writeCounts(trx, replies)
      await writeHiddenReplies(trx, replies)
      await writeHidden(trx, "threads", hiding, were)
      await writeDeleted(trx, threads)
      const texts = { written: threads.opened.values(), changed: changed.values(), hiding, deleted: threads.deleted }
      await writeSearched(trx, "threads", texts, made)
    }
  }

export const threadProjection = logProjection({
  name: "thread",
  // Version 2: search weights changed. 4: the reason why a thread is closed or locked. 5: the service itself splits
  // texts into words. 6: Korean is indexed in pairs. 7: search vectors are in a table of their own.
  version: 7,
  reads: [
    { kind: "thread", events: inventoryOf(ThreadEvent) },
    { kind: "reply", events: inventoryOf(ReplyEvent) }
  ],
  tables: [
    { name: "searched_threads", kind: "thread", actor: "id" },
    { name: "threads", kind: "thread", actor: null },
    { name: "replies", kind: "reply", actor: "id" },
    { name: "hidden_threads", kind: "thread", actor: "id" },
    { name: "hidden_replies", kind: "reply", actor: "id" }
  ],
  changes: changing(MADE),
  bare: changing(BARE)
})
