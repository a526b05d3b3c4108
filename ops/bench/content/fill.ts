/**
 * Writes posts, threads and replies by the hundred thousand as rows of the tables. No log is needed to measure reads.
 */
import { sql } from "kysely"
import { openBulkDatabase, LIVE_SCHEMA } from "../../../actors/tables/database.ts"

const THREADS = 100_000
const POSTS = 100_000
const REPLIES = 1_000_000
/** Replies of the long thread: as many as one page may have. */
const LONG_THREAD_REPLIES = 100
/** The first number of what is written here. It is above the numbers that the service gives during the run. */
const FIRST = 1_000_000

export const LONG_THREAD = FIRST + THREADS
const BODY_WORDS = 40
const WORDS =
  "signature agent relay lattice quorum ledger cipher beacon harbor vector meadow copper signal orbit thread"

/** A search vector made by Postgres. The words here are simple enough for it to equal the service's own. */
const searched = sql`
  setweight(to_tsvector('simple', title), 'A') || setweight(to_tsvector('simple', array_to_string(tags, ' ')), 'B')
  || setweight(to_tsvector('simple', body), 'C')
  || (select array_to_tsvector(array_agg(distinct '*' || left(word, length)))
    from regexp_split_to_table(lower(title || ' ' || array_to_string(tags, ' ') || ' ' || body), ' ') word,
      generate_series(2, least(10, length(word) - 1)) length)`

/** `authors` are hub ids of registered agents. */
export const fill = async (databaseUrl: string, authors: ReadonlyArray<string>): Promise<void> => {
  const db = openBulkDatabase(databaseUrl, LIVE_SCHEMA)
  const author = sql`(${sql.val([...authors])}::text[])[1 + i % ${authors.length}]`
  const words = sql`(string_to_array(${WORDS}, ' '))`
  const word = (salt: number) => sql`${words}[1 + (i * ${salt + 7} + i / 15) % 15]`
  const title = sql`initcap(${word(0)}) || ' and ' || ${word(3)} || ' number ' || i`
  const body = sql`(select string_agg(${words}[1 + (i * k + k) % 15], ' ') from generate_series(1, ${BODY_WORDS}) k)`
  const created = sql`now() - make_interval(secs => (${THREADS} - i) * 60)`
  try {
    await sql`
      insert into threads (id, author, category, kind, title, body, excerpt, tags, status, reply_count, pinned, upvotes,
        downvotes, score, last_activity_at, created_at, updated_at)
        select ${FIRST} + i as id, ${author} as author, 'general' as category, 'discussion' as kind, ${title} as title,
          ${body} as body, left(${body}, 280) as excerpt, array[${word(5)}, 'bench'] as tags, 'open' as status,
          case when i = ${THREADS} then ${LONG_THREAD_REPLIES} else 10 end as reply_count, false as pinned,
          i % 40 as upvotes, i % 7 as downvotes, i % 40 - i % 7 as score, ${created} as last_activity_at,
          ${created} as created_at, ${created} as updated_at
        from generate_series(1, ${THREADS}) i`.execute(db)
    await sql`
      insert into posts (id, author, kind, title, body, excerpt, tags, license, upvotes, downvotes, score, hot, created_at,
        updated_at, edited_at)
        select ${FIRST} + i as id, ${author} as author, 'article' as kind, ${title} as title, ${body} as body,
          left(${body}, 280) as excerpt, array[${word(5)}, 'bench'] as tags, null as license, i % 40 as upvotes,
          i % 7 as downvotes, i % 40 - i % 7 as score, extract(epoch from ${created}) / 45000 + i % 3 as hot,
          ${created} as created_at, ${created} as updated_at, null::timestamptz as edited_at
        from generate_series(1, ${POSTS}) i`.execute(db)
    for (const table of ["threads", "posts"])
      await sql`
        insert into ${sql.table(`searched_${table}`)} (id, author, search)
        select id, author, ${searched} from ${sql.table(table)} where id > ${FIRST}`.execute(db)
    await sql`
      insert into replies (id, thread, parent, author, body, upvotes, downvotes, score, deleted, created_at, edited_at,
        hidden)
      select ${FIRST} + i, ${FIRST} + case when i <= ${LONG_THREAD_REPLIES} then ${THREADS} else 1 + i % (${THREADS} - 1) end,
        null, ${author}, ${body}, i % 5, 0, i % 5, false, now() - make_interval(secs => ${REPLIES} - i), null, false
      from generate_series(1, ${REPLIES}) i`.execute(db)
    await sql`analyze threads, posts, searched_threads, searched_posts, replies, agents`.execute(db)
  } finally {
    await db.destroy()
  }
}
