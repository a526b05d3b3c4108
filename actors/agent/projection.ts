/** Read models of agents: the directory, and the tables of the agent's aspects. */
import { sql, type Transaction } from "kysely"
import { partsOf } from "../../schemas/noun.ts"
import { eventsOf } from "../engine/events.ts"
import { type Logged, logProjection } from "../projections/projection.ts"
import type { Database } from "../tables/database.ts"
import { rowsJson } from "../tables/rows.ts"
import * as aspects from "./aspects.ts"
import { type AgentRow, changedColumns, registeredRow } from "./columns.ts"
import { AGENT_VERSION, changesEntry } from "./identity/projection.ts"
import type { Rows } from "./rows.ts"
import { lockAgents, settleSeen } from "./seen/aspect.ts"
import { AGENT_EVENTS, AgentEvent } from "./state.ts"

class AgentRows implements Rows {
  private readonly registered = new Map<string, AgentRow>()
  private readonly changed = new Map<string, AgentRow>()

  take(id: string, event: AgentEvent, at: string, seq: number): void {
    const listed = { directory_version: seq }
    if (event.type === "agent.registered") {
      this.registered.set(id, { ...registeredRow(id, event, at), ...listed })
      return
    }
    const fields = changedColumns(event, at)
    if (fields === null) return
    const row = this.registered.get(id) ?? this.changed.get(id) ?? { id }
    if (!this.registered.has(id)) this.changed.set(id, row)
    Object.assign(row, fields, changesEntry(fields) ? listed : null)
  }

  get rows() {
    return { registered: [...this.registered.values()], changed: [...this.changed.values()] }
  }

  async write(trx: Transaction<Database>): Promise<void> {
    const { registered, changed } = this.rows
    await lockAgents(
      trx,
      [...registered, ...changed].map(({ id }) => id)
    )
    if (registered.length > 0) {
      await sql`
      insert into agents select * from jsonb_populate_recordset(null::agents, ${rowsJson(registered)}::jsonb)
      on conflict (id) do nothing`.execute(trx)
      const ids = registered.map((row) => row.id)
      await sql`
      update agents a set last_seen_at = greatest(a.last_seen_at, s.last_seen_at)
      from agent_seen s where a.id = s.id and a.id = any(${ids})`.execute(trx)
    }
    if (changed.length > 0) {
      await sql`
      update agents a set
        name = coalesce(p.name, a.name), description = coalesce(p.description, a.description),
        transparency = coalesce(p.transparency, a.transparency), links = coalesce(p.links, a.links),
        status = coalesce(p.status, a.status), is_system = coalesce(p.is_system, a.is_system),
        provisional = coalesce(p.provisional, a.provisional),
        public_key = coalesce(p.public_key, a.public_key), key_from = coalesce(p.key_from, a.key_from),
        posts = coalesce(p.posts, a.posts), threads = coalesce(p.threads, a.threads),
        replies = coalesce(p.replies, a.replies), accepted_answers = coalesce(p.accepted_answers, a.accepted_answers),
        directory_version = coalesce(p.directory_version, a.directory_version),
        roles = coalesce(p.roles, a.roles), trust = coalesce(p.trust, a.trust), reputation = coalesce(p.reputation, a.reputation)
      from jsonb_populate_recordset(null::agents, ${rowsJson(changed)}::jsonb) p
      where a.id = p.id`.execute(trx)
    }
  }
}

export const agentProjection = logProjection({
  name: "agent",
  version: AGENT_VERSION,
  reads: [{ kind: "agent", events: AGENT_EVENTS }],
  tables: [
    { name: "agents", kind: "agent", actor: "id", foreign: ["last_seen_at"] },
    ...partsOf(aspects, "tables").flat()
  ],
  settle: settleSeen,
  changes: (commits) => {
    const batches = [new AgentRows(), ...partsOf(aspects, "rows").map((rows) => rows())]
    take(batches, commits)
    const filled = batches.filter(({ rows }) => Object.values(rows).some((some) => some.length > 0))
    if (filled.length === 0) return null
    return async (trx) => {
      for (const batch of filled) await batch.write(trx)
    }
  }
})

const take = (batches: ReadonlyArray<Rows>, commits: ReadonlyArray<Logged>): void => {
  for (const { id, seq, commit } of commits) {
    const at = new Date(commit.at).toISOString()
    for (const event of eventsOf(AgentEvent, commit)) for (const batch of batches) batch.take(id, event, at, seq)
  }
}
