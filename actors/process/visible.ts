/**
 * Answers up to which time the tables for an agent's home contain the whole log (contract 19). Processes that may read
 * the log answer this. Requests that arrive almost together share one check.
 *
 * Invariant: the time is read before anything else. So a later read of the tables sees everything that was in the log
 * at the returned time.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { Kysely } from "kysely"
import type { Clock } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Database } from "../tables/database.ts"
import { PROJECTIONS } from "./projections.ts"
import { firstBehind } from "../projections/lag.ts"
import { wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"

/** A result is reused for this long. */
const SHARED_MS = 500

const OF_HOME: ReadonlySet<string> = new Set(["agent", "message", "notification", "thread"])

export interface VisibleParts {
  readonly clock: Clock.Clock
  readonly db: Kysely<Database>
  readonly manager: JetStreamManager
}

const look = async ({ clock, db, manager }: VisibleParts): Promise<number> => {
  const now = wallMs(clock)
  const rows = await db.selectFrom("projections").select(["name", "seq"]).execute()
  const kept = new Map(rows.map(({ name, seq }) => [name, Number(seq)]))
  const behind = await Promise.all(
    PROJECTIONS.filter(({ name }) => OF_HOME.has(name)).map((one) => firstBehind(manager, one, kept.get(one.name) ?? 0))
  )
  return Math.min(now, ...behind.filter((at) => at !== null))
}

export const visibleQuery = (parts: VisibleParts): (() => Promise<Queries["visible"]["output"]>) => {
  let looked: { readonly since: number; readonly found: Promise<number> } | null = null
  return () => {
    const now = monotonicMs(parts.clock)
    if (looked !== null && now - looked.since < SHARED_MS) return looked.found
    const mine = { since: now, found: look(parts) }
    looked = mine
    mine.found.catch(() => {
      if (looked === mine) looked = null
    })
    return mine.found
  }
}
