/**
 * Raises counters that are lower than the numbers in the tables or in the archive's index. That happens if the
 * counters' stream is an older copy or has lost its end, and such counters would give numbers a second time (spec 2.1).
 * A node raises them each time that it begins to run the projections.
 *
 * Invariants
 *  - A counter only grows. Two nodes that raise it at the same time leave a gap, which does no harm.
 *  - If the log has an archive, every node raises them before it serves, and the archiver raises them before its mark
 *    names a segment. This is needed because drawn numbers are not looked up in the archive (log/event-log.ts), and the
 *    tables may be empty at that time. If a number's commits are still in the log, the expected sequence refuses a
 *    second append with that number.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Schedule } from "effect"
import { type Kysely, sql } from "kysely"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { COUNTERS, type CounterName } from "../../schemas/subjects.ts"
import type { Database } from "../tables/database.ts"
import { highestArchived } from "../log/archive/index-table.ts"
import { countUp, lastNumber } from "../log/counters.ts"
import { toItsEnd } from "./steps.ts"

const RETRY_MS = 5_000

/** The table and column that contain each counter's numbers. */
const NUMBERED: Readonly<Record<CounterName, readonly [table: keyof Database, column: string]>> = {
  agent: ["agents", "number"],
  notification: ["notifications", "id"],
  post: ["posts", "id"],
  thread: ["threads", "id"],
  reply: ["replies", "id"],
  message: ["messages", "id"],
  report: ["reports", "id"],
  sponsorship: ["sponsorships", "id"],
  owner_message: ["owner_messages", "id"],
  captcha: ["captchas", "id"],
  mailbox: ["mails", "mailbox"],
  mail: ["mails", "id"]
}

/** The kind of actor whose ids come from the counter, if its name differs from the counter's. */
const BEGUN_BY: Readonly<Partial<Record<CounterName, string>>> = { notification: "delivery" }

export interface Behind {
  readonly counter: CounterName
  readonly given: number
  readonly highest: number
}

export const countersBehind = async (nats: NatsConnection, db: Kysely<Database>): Promise<ReadonlyArray<Behind>> => {
  const all = await Promise.all(
    COUNTERS.map(async (counter) => {
      const [table, column] = NUMBERED[counter]
      const { rows } = await sql<{ highest: string }>`
        select coalesce(max(${sql.ref(column)}), 0) as highest from ${sql.table(table)}`.execute(db)
      const archived = await highestArchived(db, BEGUN_BY[counter] ?? counter)
      return { counter, highest: Math.max(Number(rows[0]?.highest), archived), given: await lastNumber(nats, counter) }
    })
  )
  return all.filter(({ given, highest }) => given < highest)
}

export const raiseCounters = async (nats: NatsConnection, db: Kysely<Database>): Promise<void> => {
  for (const { counter, given, highest } of await countersBehind(nats, db)) {
    logNow("error", "counters", { counter, given, highest, error: "a counter was behind its numbers: counted up" })
    await countUp(nats, counter, highest - given)
  }
}

/** Succeeds when no counter is too low, and retries until then. */
export const countersRaised = (nats: NatsConnection, db: Kysely<Database>): Effect.Effect<void> => {
  const told = Effect.tapError(
    toItsEnd(() => raiseCounters(nats, db)),
    (error) => Effect.annotateLogs(Effect.logWarning(error), { at: "counters" })
  )
  return Effect.ignore(Effect.retry(told, Schedule.spaced(RETRY_MS)))
}

/** Raises the counters once, then runs until it is interrupted. */
export const raisingCounters = (nats: NatsConnection, db: Kysely<Database>): Effect.Effect<never> =>
  Effect.andThen(countersRaised(nats, db), Effect.never)
