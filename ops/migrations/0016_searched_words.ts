import { type Kysely, sql } from "kysely"

/**
 * Replaces characters of file names, addresses and numbers by blanks. Postgres' parser tries to read such a character
 * as each of these, and takes minutes for a text that consists of them.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create function searched_words(given text) returns text language sql immutable strict parallel safe
    return translate(plain_words(given), '_/~@', '    ')`.execute(db)
  await sql`
    create or replace function words_query(given text) returns tsquery language plpgsql stable strict as $$
    declare plain text := regexp_replace(searched_words(given), '-+(?=[-[:space:]]|$)', ' ', 'g');
    begin
      return websearch_to_tsquery('simple', plain);
    exception when others then
      return plainto_tsquery('simple', plain);
    end $$`.execute(db)
}
