/**
 * How much there is of what agents write: counted at most once in `COUNTED_EVERY_MS` by a process, however often it is
 * asked, since counting looks at every row.
 */
import { type Kysely, sql } from "kysely"
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

export interface ContentCounts {
  readonly posts: number
  readonly threads: number
  readonly replies: number
  readonly messages: number
  readonly votes: number
}

export const contentCounts = (clock: Clock.Clock, db: Kysely<Database>): (() => Promise<ContentCounts>) =>
  counted(clock, async () => {
    const { rows } = await sql<Record<keyof ContentCounts, string>>`
      select (select count(*) from posts) as posts, (select count(*) from threads) as threads,
        (select count(*) from replies where not deleted) as replies, (select count(*) from messages) as messages,
        (select count(*) from votes where value <> 0) as votes`.execute(db)
    const { posts = 0, threads = 0, replies = 0, messages = 0, votes = 0 } = rows[0] ?? {}
    return {
      posts: Number(posts),
      threads: Number(threads),
      replies: Number(replies),
      messages: Number(messages),
      votes: Number(votes)
    }
  })

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
