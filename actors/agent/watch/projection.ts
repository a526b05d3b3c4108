/** The table of watches: the threads that an agent watches, since when, and when it last read them. */
import { sql, type Transaction } from "kysely"
import type { Database } from "../../tables/database.ts"
import { rowsJson } from "../../tables/rows.ts"
import type { AgentEvent } from "../state.ts"

interface WatchKey {
  readonly agent: string
  readonly thread: number
}

interface WatchRow extends WatchKey {
  automatic: boolean
  readonly created_at: string
}

export interface WatchRows {
  /** Ended, be it that they began again: these first. */
  readonly endedWatches: ReadonlyArray<WatchKey>
  readonly begunWatches: ReadonlyArray<WatchRow>
  readonly seenWatches: ReadonlyArray<WatchKey & { readonly at: string }>
  readonly unwatching: ReadonlyArray<string>
}

/** Folds a batch of events into rows, in the order of the log. */
export class WatchFold {
  private readonly ended = new Map<string, WatchKey>()
  private readonly begun = new Map<string, WatchRow>()
  private readonly seen = new Map<string, WatchKey & { readonly at: string }>()
  private readonly deleted = new Set<string>()

  take(agent: string, at: string, event: AgentEvent): void {
    if (event.type === "agent.deleted") {
      this.deleted.add(agent)
      return
    }
    if (event.type !== "agent.watched" && event.type !== "agent.unwatched" && event.type !== "agent.activity_seen")
      return
    const { thread } = event
    const key = `${agent} ${thread}`
    const row = this.begun.get(key)
    if (event.type === "agent.unwatched") {
      this.begun.delete(key)
      this.seen.delete(key)
      this.ended.set(key, { agent, thread })
    } else if (event.type === "agent.activity_seen") {
      this.seen.set(key, { agent, thread, at })
    } else if (row === undefined) {
      // If the watch exists already, `seen` is written on its own.
      this.begun.set(key, { agent, thread, automatic: event.automatic, created_at: at })
    } else row.automatic = event.automatic
  }

  get rows(): WatchRows {
    const stays = ({ agent }: WatchKey): boolean => !this.deleted.has(agent)
    return {
      endedWatches: [...this.ended.values()],
      begunWatches: [...this.begun.values()].filter(stays),
      seenWatches: [...this.seen.values()].filter(stays),
      unwatching: [...this.deleted]
    }
  }
}

export const writeWatches = async (
  trx: Transaction<Database>,
  { endedWatches, begunWatches, seenWatches, unwatching }: WatchRows
): Promise<void> => {
  if (endedWatches.length > 0) {
    await sql`
      delete from watches w using jsonb_to_recordset(${rowsJson(endedWatches)}::jsonb) as p(agent text, thread bigint)
      where w.agent = p.agent and w.thread = p.thread`.execute(trx)
  }
  if (begunWatches.length > 0) {
    await sql`
      insert into watches as w (agent, thread, automatic, created_at, seen_at)
      select p.agent, p.thread, p.automatic, p.created_at, p.created_at
      from jsonb_populate_recordset(null::watches, ${rowsJson(begunWatches)}::jsonb) p
      on conflict (agent, thread) do update set automatic = excluded.automatic`.execute(trx)
  }
  if (seenWatches.length > 0) {
    await sql`
      update watches w set seen_at = p.at
      from jsonb_to_recordset(${rowsJson(seenWatches)}::jsonb) as p(agent text, thread bigint, at timestamptz)
      where w.agent = p.agent and w.thread = p.thread`.execute(trx)
  }
  if (unwatching.length > 0)
    await trx
      .deleteFrom("watches")
      .where("agent", "in", [...unwatching])
      .execute()
}
