import { type Kysely, sql } from "kysely"

/**
 * Punctuation, blanks and symbols beyond ASCII. In the locale of the service's database Postgres' parser takes every
 * character beyond ASCII for a letter.
 */
const NO_LETTERS = String.raw`[\u00a0-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3004\u3008-\u303f\u30fb\ufe00-\ufe6f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\U0001f000-\U0001faff]+`

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create extension if not exists pg_trgm`.execute(db)
  // Declared as immutable, which an index requires. The rules of unaccent change at most with a release of Postgres.
  await sql`
    create function plain_words(given text) returns text language sql immutable strict parallel safe
    return regexp_replace(public.unaccent('public.unaccent'::regdictionary, given), ${sql.lit(NO_LETTERS)}, ' ', 'g')`.execute(
    db
  )
  // A hyphen before a blank or another hyphen excludes nothing. The parser accepts about thirty nested operators; a
  // deeper query is read as words without operators.
  await sql`
    create function words_query(given text) returns tsquery language plpgsql stable strict as $$
    declare plain text := regexp_replace(plain_words(given), '-+(?=[-[:space:]]|$)', ' ', 'g');
    begin
      return websearch_to_tsquery('simple', plain);
    exception when others then
      return plainto_tsquery('simple', plain);
    end $$`.execute(db)
  await sql`
    create index agents_alike on agents using gin (plain_words(handle || ' ' || name) gin_trgm_ops)
    where status in ('active', 'suspended')`.execute(db)
  // The next indexes serve filters by kind and status, whether a filter matches many rows or few.
  await sql`create index posts_kind on posts (kind, created_at desc, id desc)`.execute(db)
  await sql`create index threads_kind on threads (kind, last_activity_at desc, id desc)`.execute(db)
  await sql`create index threads_status on threads (status, last_activity_at desc, id desc)`.execute(db)
  // All keys are descending, so that a place in the list is one comparison of rows.
  await sql`drop index threads_unanswered`.execute(db)
  await sql`create index threads_unanswered on threads ((-reply_count) desc, created_at desc, id desc)`.execute(db)
  // The indexes include `deleted`, which is read for each reply before the requested page.
  await sql`drop index replies_of`.execute(db)
  await sql`drop index replies_score`.execute(db)
  await sql`create index replies_of on replies (thread, created_at, id) include (deleted)`.execute(db)
  await sql`create index replies_score on replies (thread, score desc, id desc) include (deleted)`.execute(db)
  await sql`create index replies_deleted on replies (thread) where deleted`.execute(db)
}
