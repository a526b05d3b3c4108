/**
 * Counters that stand behind what the tables hold: their stream is an older copy, or has lost its end. They would give
 * numbers a second time (spec 2.1). The node that runs the projections raises them once, at its start.
 *
 * Invariant: a counter is only ever counted up. Two nodes that do so at once leave a gap, which is no harm.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Schedule } from "effect"
import { type Kysely, sql } from "kysely"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { COUNTERS, type CounterName } from "../../schemas/subjects.ts"
import type { Database } from "../tables/database.ts"
import { countUp, lastNumber } from "../log/counters.ts"
import { toItsEnd } from "./steps.ts"

const RETRY_MS = 5_000

/** The table and column of each counter's numbers. */
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

export interface Behind {
  readonly counter: CounterName
  /** The last number that it has given. */
  readonly given: number
  /** The highest number in the tables. */
  readonly highest: number
}

export const countersBehind = async (nats: NatsConnection, db: Kysely<Database>): Promise<ReadonlyArray<Behind>> => {
  const all = await Promise.all(
    COUNTERS.map(async (counter) => {
      const [table, column] = NUMBERED[counter]
      const { rows } = await sql<{ highest: string }>`
        select coalesce(max(${sql.ref(column)}), 0) as highest from ${sql.table(table)}`.execute(db)
      return { counter, highest: Number(rows[0]?.highest), given: await lastNumber(nats, counter) }
    })
  )
  return all.filter(({ given, highest }) => given < highest)
}

const raised = async (nats: NatsConnection, db: Kysely<Database>): Promise<void> => {
  for (const { counter, given, highest } of await countersBehind(nats, db)) {
    logNow("error", "counters", { counter, given, highest, error: "a counter was behind its numbers: counted up" })
    await countUp(nats, counter, highest - given)
  }
}

/** Runs until it is interrupted; counts up once. */
export const raisingCounters = (nats: NatsConnection, db: Kysely<Database>): Effect.Effect<never> => {
  const told = Effect.tapError(
    toItsEnd(() => raised(nats, db)),
    (error) => Effect.annotateLogs(Effect.logWarning(error), { at: "counters" })
  )
  return Effect.andThen(Effect.ignore(Effect.retry(told, Schedule.spaced(RETRY_MS))), Effect.never)
}
