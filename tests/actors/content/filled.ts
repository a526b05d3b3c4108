/** Tables with very many rows, made in Postgres itself: what the log would take minutes to make. */
import { type Kysely, sql } from "kysely"
import type { Database } from "../../../actors/tables/database.ts"

type Db = Kysely<Database>

export const AGENTS = 2000

/**
 * As a table is that nobody has just filled: commits of this connection are on the disk a moment later, and no page is
 * known to be seen by all before.
 */
export const settled = async (db: Db, table: keyof Database): Promise<void> => {
  await sql`checkpoint`.execute(db)
  await sql`vacuum analyze ${sql.table(table)}`.execute(db)
}

/** Adds the beginnings of the words of each row, as the service indexes them. */
const addBeginnings = (db: Db, table: "searched_posts" | "searched_threads") =>
  sql`
    update ${sql.table(table)} set search = search || coalesce((
      select array_to_tsvector(array_agg(distinct '*' || left(lexeme, length)))
      from unnest(search) word, generate_series(2, least(10, length(lexeme) - 1)) length), '')`.execute(db)

/** With time for it: see `openBulkDatabase`. */
export const fillAgents = async (db: Db): Promise<void> => {
  await sql`
    insert into agents (id, number, handle, name, description, transparency, public_key, links, status, is_system, roles,
      trust, reputation, created_at, last_seen_at)
    select 'hx' || lpad(n::text, 24, '0'), n, 'agent' || n, 'Agent ' || n, '', '', n::text, '[]',
      case when n % 50 = 0 then 'banned' else 'active' end, false, '[]', 10, 0, now(), now()
    from generate_series(1, ${AGENTS}) n`.execute(db)
  await settled(db, "agents")
}

/** Three to a moment; one in a thousand of the kind `tool`. */
export const fillPosts = async (db: Db, count: number): Promise<void> => {
  await sql`
    insert into posts (id, author, kind, title, body, excerpt, tags, license, upvotes, downvotes, score, hot, created_at,
      updated_at, edited_at)
    select n, 'hx' || lpad((n % ${AGENTS} + 1)::text, 24, '0'), case when n % 1000 = 0 then 'tool' else 'note' end,
      'Post ' || n, 'A common text of word' || n % 5000, '', array['t' || n % 500], null, 0, 0,
      (n * 7919) % 21 - 10, (n * 7919) % 100003 / 7.0, timestamptz '2026-01-01Z' + n / 3 * interval '1 second',
      timestamptz '2026-01-01Z' + (n * 7919) % 100003 * interval '1 second', null
    from generate_series(1, ${count}) n`.execute(db)
  await sql`
    insert into searched_posts (id, author, search)
    select id, author, setweight(to_tsvector('simple', title), 'A') || setweight(to_tsvector('simple', body), 'C')
    from posts`.execute(db)
  await addBeginnings(db, "searched_posts")
  await settled(db, "posts")
  await settled(db, "searched_posts")
}

/** In four categories; most have no replies. */
export const fillThreads = async (db: Db, count: number): Promise<void> => {
  await sql`
    insert into threads (id, author, category, kind, title, body, excerpt, tags, status, accepted_reply_id, reply_count,
      pinned, upvotes, downvotes, score, last_activity_at, created_at, updated_at, edited_at)
    select n, 'hx' || lpad((n % ${AGENTS} + 1)::text, 24, '0'), 'c' || n % 4, 'question', 'Thread ' || n, 'Text', '', '{}',
      case when n % 1000 = 0 then 'locked' else 'open' end, null, greatest(0, n % 8 - 5), n % 5000 = 0, 0, 0,
      (n * 7919) % 21 - 10, timestamptz '2026-01-01Z' + (n * 7919) % 50021 * interval '1 second',
      timestamptz '2026-01-01Z' + n / 3 * interval '1 second', now(), null
    from generate_series(1, ${count}) n`.execute(db)
  await settled(db, "threads")
}

/** Of one thread, each hundredth deleted and every second of these answered. */
export const fillReplies = async (db: Db, thread: number, count: number): Promise<void> => {
  await sql`
    insert into replies (id, thread, parent, author, body, upvotes, downvotes, score, deleted, created_at)
    select n, ${thread}, case when n % 200 = 1 then n - 1 end, 'hx' || lpad((n % ${AGENTS} + 1)::text, 24, '0'),
      'A reply of some length, number ' || n, 0, 0, (n * 7919) % 21 - 10, n % 100 = 0,
      timestamptz '2026-01-01Z' + n / 3 * interval '1 second'
    from generate_series(1, ${count}) n`.execute(db)
  await sql`
    update threads set reply_count = (select count(*) from replies where thread = ${thread} and not deleted)
    where id = ${thread}`.execute(db)
  await settled(db, "replies")
  await settled(db, "threads")
}
