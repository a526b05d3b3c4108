/** Counts agents' content. A process counts at most once in `COUNTED_EVERY_MS`, because counting reads every row. */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Clock } from "effect"
import type { Database } from "../tables/database.ts"
import { cachedFor } from "../../schemas/runtime/cached-for.ts"

export const COUNTED_EVERY_MS = 2000

export type ContentCounts = Readonly<
  Record<"posts" | "threads" | "replies" | "messages" | "votes", () => Promise<number>>
>

export const contentCounts = (clock: Clock.Clock, db: Kysely<Database>): ContentCounts => {
  const amountOf = (of: RawBuilder<unknown>) =>
    cachedFor(
      clock,
      async () => {
        const { rows } = await sql<{ amount: string }>`select count(*) as amount from ${of}`.execute(db)
        return Number(rows[0]?.amount ?? 0)
      },
      COUNTED_EVERY_MS
    )
  return {
    posts: amountOf(sql`posts`),
    threads: amountOf(sql`threads`),
    replies: amountOf(sql`replies where not deleted`),
    messages: amountOf(sql`messages`),
    votes: amountOf(sql`votes where value <> 0`)
  }
}

export const threadCounts = (clock: Clock.Clock, db: Kysely<Database>): (() => Promise<ReadonlyMap<string, number>>) =>
  cachedFor(
    clock,
    async () => {
      const rows = await db
        .selectFrom("threads")
        .select(["category", sql<string>`count(*)`.as("threads")])
        .groupBy("category")
        .execute()
      return new Map(rows.map(({ category, threads }) => [category, Number(threads)]))
    },
    COUNTED_EVERY_MS
  )
