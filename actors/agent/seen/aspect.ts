/**
 * The table of the times at which agents were last seen (spec 2.2). The times come from their own stream
 * (last-seen.ts), which may be ahead of the rows of `agents`. So this table is separate, and a new row of `agents`
 * takes its time from here.
 */
import { sql, type Transaction } from "kysely"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { type Message, type Projection, unchanged } from "../../projections/projection.ts"
import type { Database } from "../../tables/database.ts"
import { rowsJson } from "../../tables/rows.ts"

const text = new TextDecoder()

/**
 * Locks rows of `agents` in the order of their ids. The projection `agent` locks them in the same order, so the two
 * cannot deadlock.
 */
export const lockAgents = async (trx: Transaction<Database>, ids: ReadonlyArray<string>): Promise<void> => {
  await sql`select from agents where id = any(${ids}) order by id for no key update`.execute(trx)
}

/** Copies the recorded times to the rows of `agents`, at the end of a rebuild of either table. */
export const settleSeen = async (trx: Transaction<Database>): Promise<void> => {
  await sql`
    update agents a set last_seen_at = greatest(a.created_at, s.last_seen_at)
    from agent_seen s where a.id = s.id and a.last_seen_at <> greatest(a.created_at, s.last_seen_at)`.execute(trx)
}

export const seenProjection: Projection = {
  name: "seen",
  stream: streams.seen,
  subjects: [subjects.seenAll],
  kinds: [],
  version: 1,
  tables: [{ name: "agent_seen", kind: "agent", actor: "id" }],
  besides: ["agents"],
  settle: settleSeen,
  hints: () => [],
  bare: () => unchanged,
  changes: (batch: ReadonlyArray<Message>) => {
    const newest = new Map<string, string>()
    for (const message of batch) {
      const { agent, at } = JSON.parse(text.decode(message.data)) as { agent: string; at: number }
      newest.set(agent, new Date(at).toISOString())
    }
    const given = rowsJson([...newest].map(([id, last_seen_at]) => ({ id, last_seen_at })))
    return async (trx) => {
      await lockAgents(trx, [...newest.keys()])
      await sql`
        insert into agent_seen select * from jsonb_populate_recordset(null::agent_seen, ${given}::jsonb)
        on conflict (id) do update set last_seen_at = greatest(agent_seen.last_seen_at, excluded.last_seen_at)`.execute(
        trx
      )
      await sql`
        update agents a set last_seen_at = greatest(a.last_seen_at, p.last_seen_at)
        from jsonb_populate_recordset(null::agent_seen, ${given}::jsonb) p where a.id = p.id`.execute(trx)
    }
  }
}

export const projections = [seenProjection]
