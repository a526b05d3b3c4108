/**
 * The table of watches in the agents' read model: the watched threads, when each watch began, and when the agent last
 * read it.
 */
import { sql, type Transaction } from "kysely"
import type { Database } from "../../tables/database.ts"
import { rowsJson } from "../../tables/rows.ts"
import type { Rows } from "../rows.ts"
import type { AgentEvent } from "../state.ts"

interface WatchKey {
  readonly agent: string
  readonly thread: number
}

interface WatchRow extends WatchKey {
  automatic: boolean
  readonly created_at: string
}

export class WatchRows implements Rows {
  private readonly ended = new Map<string, WatchKey>()
  private readonly begun = new Map<string, WatchRow>()
  private readonly seen = new Map<string, WatchKey & { readonly at: string }>()
  private readonly deleted = new Set<string>()

  take(agent: string, event: AgentEvent, at: string): void {
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
      // The row may exist already. The insert then keeps its `seen_at`, so `seen` is written by a statement of its own.
      this.begun.set(key, { agent, thread, automatic: event.automatic, created_at: at })
    } else row.automatic = event.automatic
  }

  get rows() {
    const stays = ({ agent }: WatchKey): boolean => !this.deleted.has(agent)
    return {
      /**
       * These rows are deleted before `begun` are inserted, because an ended watch may begin again in the same batch.
       */
      ended: [...this.ended.values()],
      begun: [...this.begun.values()].filter(stays),
      seen: [...this.seen.values()].filter(stays),
      deleted: [...this.deleted]
    }
  }

  async write(trx: Transaction<Database>): Promise<void> {
    const { ended, begun, seen, deleted } = this.rows
    if (ended.length > 0) {
      await sql`
      delete from watches w using jsonb_to_recordset(${rowsJson(ended)}::jsonb) as p(agent text, thread bigint)
      where w.agent = p.agent and w.thread = p.thread`.execute(trx)
    }
    if (begun.length > 0) {
      await sql`
      insert into watches as w (agent, thread, automatic, created_at, seen_at)
      select p.agent, p.thread, p.automatic, p.created_at, p.created_at
      from jsonb_populate_recordset(null::watches, ${rowsJson(begun)}::jsonb) p
      on conflict (agent, thread) do update set automatic = excluded.automatic`.execute(trx)
    }
    if (seen.length > 0) {
      await sql`
      update watches w set seen_at = p.at
      from jsonb_to_recordset(${rowsJson(seen)}::jsonb) as p(agent text, thread bigint, at timestamptz)
      where w.agent = p.agent and w.thread = p.thread`.execute(trx)
    }
    if (deleted.length > 0) await trx.deleteFrom("watches").where("agent", "in", deleted).execute()
  }
}
