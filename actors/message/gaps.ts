/**
 * Numbers of messages that are drawn but not settled. A number is drawn before its commit, on any node. So a message
 * may be in the log while a lower number is still to come, and a client that polls by number must not see past that
 * gap.
 *
 * Invariants
 *  - Every number below the highest one in the log is a message, is given up, or is a gap, except numbers that a
 *    restore has skipped. The log alone decides which.
 *  - A gap ends by the message's commit, or by `message.voided` on the same subject. Both expect an empty subject, so
 *    only one of the two can be written (closer.ts).
 */
import { type RawBuilder, sql, type Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import { rowsJson } from "../tables/rows.ts"

/** A larger jump of the counter comes from a restore, where nobody has drawn the skipped numbers. */
export const JUMP_MIN = 5_000
/**
 * An older gap does not hold back messages any more, because its number could not be settled and reading must go on.
 */
const HELD_MAX_SECONDS = 60
const HIGHEST = Number.MAX_SAFE_INTEGER

/** A number that the log has settled, in the log's order. */
export interface SettledNumber {
  readonly id: number
  /** The time in ISO 8601. */
  readonly at: string
  readonly voided: boolean
}

export interface GapChanges {
  /** The time at which each number was noted. */
  readonly opened: ReadonlyMap<number, string>
  readonly closed: ReadonlyArray<number>
}

/** `highest`: the highest number before these. The result does not depend on the size of batches. Pure. */
export const gapsBy = (highest: number, settled: ReadonlyArray<SettledNumber>): GapChanges => {
  const opened = new Map<number, string>()
  const closed: Array<number> = []
  let top = highest
  for (const { id, at, voided } of settled) {
    if (id > top && !voided) {
      if (id - top <= JUMP_MIN) for (let gap = top + 1; gap < id; gap++) opened.set(gap, at)
      top = id
    } else if (!opened.delete(id)) closed.push(id)
  }
  return { opened, closed }
}

/** Must run before the messages are written, because it reads the highest number so far from their table. */
export const writeGaps = async (trx: Transaction<Database>, settled: ReadonlyArray<SettledNumber>): Promise<void> => {
  if (settled.length === 0) return
  const { rows } = await sql<{ highest: string }>`select coalesce(max(id), 0) as highest from messages`.execute(trx)
  const { opened, closed } = gapsBy(Number(rows[0]?.highest), settled)
  if (closed.length > 0)
    await sql`delete from message_gaps where id = any(${closed.map(String)}::bigint[])`.execute(trx)
  if (opened.size === 0) return
  const gaps = [...opened].map(([id, noted_at]) => ({ id, noted_at }))
  await sql`
    insert into message_gaps select * from jsonb_populate_recordset(null::message_gaps, ${rowsJson(gaps)}::jsonb)
    on conflict (id) do nothing`.execute(trx)
}

const held = (since: number) => sql`id > ${String(since)} and noted_at > now() - ${`${HELD_MAX_SECONDS} s`}::interval`

/** Selects the lowest gap above `since`, in the same statement as the messages, so that both belong to one snapshot. */
export const lowestGap = (since: number): RawBuilder<string> =>
  sql<string>`coalesce((select min(id) from message_gaps where ${held(since)}), ${String(HIGHEST)})`

/** A condition: there is a gap between the two numbers, and it holds back the messages above it. */
export const gapBetween = (since: number, top: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from message_gaps where ${held(since)} and id < ${top})`
