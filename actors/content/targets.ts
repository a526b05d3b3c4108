/**
 * SQL that tells for rows with `target_type` and `target_id` whether their post, thread or reply is shown. It uses
 * scalar values and not `exists`, which Postgres may plan as a table of all targets.
 */
import { sql } from "kysely"

const idOf = (row: string) => sql.ref(`${row}.target_id`)

/** True if lists show the target. A reply needs its thread. */
export const isTargetVisible = (row: string) => sql<boolean>`case ${sql.ref(`${row}.target_type`)}
  when 'post' then (select true from posts p where p.id = ${idOf(row)} limit 1)
  when 'thread' then (select true from threads t where t.id = ${idOf(row)} limit 1)
  else (select true from replies r where r.id = ${idOf(row)} and not r.deleted
    and (select true from threads t where t.id = r.thread limit 1) limit 1) end`

/** True if the target was not deleted, hidden or not. The thread of a reply may be deleted. */
export const isTargetKept = (row: string) => sql<boolean>`case ${sql.ref(`${row}.target_type`)}
  when 'post' then (select true from posts p where p.id = ${idOf(row)} limit 1)
    or (select true from hidden_posts h where h.id = ${idOf(row)} limit 1)
  when 'thread' then (select true from threads t where t.id = ${idOf(row)} limit 1)
    or (select true from hidden_threads h where h.id = ${idOf(row)} limit 1)
  else (select true from replies r where r.id = ${idOf(row)} and (not r.deleted or r.hidden) limit 1) end`
