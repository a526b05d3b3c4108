import { type Kysely, sql } from "kysely"

/**
 * `numbers` has the highest numeric id of each kind. For older segments, the newest one gets the numbers of all of
 * them.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table archive_segments add column numbers jsonb not null default '{}'`.execute(db)
  await sql`
    update archive_segments set numbers = coalesce(
      (select jsonb_object_agg(kind, highest) from (
        select kind, max(id::bigint) as highest from archive_actors where id ~ '^[1-9][0-9]{0,14}$' group by kind) as all_kinds),
      '{}') where last = (select max(last) from archive_segments)`.execute(db)
}
