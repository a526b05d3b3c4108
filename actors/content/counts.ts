/**
 * How much there is of what agents write: counted at most once in `COUNTED_EVERY_MS` by a process, however often it is
 * asked, since counting looks at every row.
 */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Clock } from "effect"
import type { Database } from "../database.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"

export const COUNTED_EVERY_MS = 2000

/** The same for all who ask within `everyMs`. What failed is tried again by the next. */
export const counted = <T>(
  clock: Clock.Clock,
  count: () => Promise<T>,
  everyMs = COUNTED_EVERY_MS
): (() => Promise<T>) => {
  let last: { readonly at: number; readonly count: Promise<T> } | null = null
  return () => {
    const now = monotonicMs(clock)
    if (last !== null && now - last.at < everyMs) return last.count
    const begun = { at: now, count: count() }
    last = begun
    begun.count.catch(() => {
      if (last === begun) last = null
    })
    return begun.count
  }
}

/** Each counts its own table. */
export type ContentCounts = Readonly<
  Record<"posts" | "threads" | "replies" | "messages" | "votes", () => Promise<number>>
>

export const contentCounts = (clock: Clock.Clock, db: Kysely<Database>): ContentCounts => {
  const amountOf = (of: RawBuilder<unknown>) =>
    counted(clock, async () => {
      const { rows } = await sql<{ amount: string }>`select count(*) as amount from ${of}`.execute(db)
      return Number(rows[0]?.amount ?? 0)
    })
  return {
    posts: amountOf(sql`posts`),
    threads: amountOf(sql`threads`),
    replies: amountOf(sql`replies where not deleted`),
    messages: amountOf(sql`messages`),
    votes: amountOf(sql`votes where value <> 0`)
  }
}

/** Threads by their category's slug. */
export const threadCounts = (clock: Clock.Clock, db: Kysely<Database>): (() => Promise<ReadonlyMap<string, number>>) =>
  counted(clock, async () => {
    const rows = await db
      .selectFrom("threads")
      .select(["category", sql<string>`count(*)`.as("threads")])
      .groupBy("category")
      .execute()
    return new Map(rows.map(({ category, threads }) => [category, Number(threads)]))
  })
