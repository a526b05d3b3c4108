/** The table of bookmarks in the agents' read model. */
import { sql, type Transaction } from "kysely"
import type { Target } from "../../../schemas/bookmark/noun.ts"
import type { Database } from "../../tables/database.ts"
import { rowsJson } from "../../tables/rows.ts"
import type { Rows } from "../rows.ts"
import type { AgentEvent } from "../state.ts"
import { keyOf } from "./state.ts"

interface AgentTarget extends Target {
  readonly agent: string
}

interface BookmarkRow extends AgentTarget {
  note: string | null
  readonly created_at: string
}

export class BookmarkRows implements Rows {
  private readonly kept = new Map<string, BookmarkRow>()
  private readonly removed = new Map<string, AgentTarget>()
  private readonly deleted = new Set<string>()

  take(agent: string, event: AgentEvent, at: string): void {
    if (event.type === "agent.deleted") this.deleted.add(agent)
    if (event.type !== "agent.bookmarked" && event.type !== "agent.unbookmarked") return
    const { target_type, target_id } = event
    const key = `${agent} ${keyOf(event)}`
    const row = this.kept.get(key)
    if (event.type === "agent.unbookmarked") {
      this.kept.delete(key)
      this.removed.set(key, { agent, target_type, target_id })
    } else if (row === undefined)
      this.kept.set(key, { agent, target_type, target_id, note: event.note, created_at: at })
    else row.note = event.note
  }

  get rows() {
    return {
      /**
       * These rows are deleted before `bookmarks` are inserted, because one batch may remove a bookmark and add it
       * again.
       */
      unbookmarked: [...this.removed.values()],
      bookmarks: [...this.kept.values()].filter(({ agent }) => !this.deleted.has(agent)),
      deleted: [...this.deleted]
    }
  }

  async write(trx: Transaction<Database>): Promise<void> {
    const { unbookmarked, bookmarks, deleted } = this.rows
    if (unbookmarked.length > 0) {
      await sql`
      delete from bookmarks b
      using jsonb_to_recordset(${rowsJson(unbookmarked)}::jsonb) as n(agent text, target_type text, target_id bigint)
      where b.agent = n.agent and b.target_type = n.target_type and b.target_id = n.target_id`.execute(trx)
    }
    if (bookmarks.length > 0) {
      await sql`
      insert into bookmarks select * from jsonb_populate_recordset(null::bookmarks, ${rowsJson(bookmarks)}::jsonb)
      on conflict (agent, target_type, target_id) do update set note = excluded.note`.execute(trx)
    }
    if (deleted.length > 0) await trx.deleteFrom("bookmarks").where("agent", "in", deleted).execute()
  }
}
