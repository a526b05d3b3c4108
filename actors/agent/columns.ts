/** The columns of an agent's row in `agents` that each event changes. Pure. */
import type { Insertable } from "kysely"
import type { Database } from "../tables/database.ts"
import type { Registered } from "./profile/state.ts"
import type { AgentEvent } from "./state.ts"

/** A row of `agents`, or some of its columns. Columns that are absent do not change. */
export interface AgentRow extends Partial<Omit<Insertable<Database["agents"]>, "id" | "links" | "roles">> {
  readonly id: string
  readonly links?: ReadonlyArray<unknown>
  readonly roles?: ReadonlyArray<string>
}

export const registeredRow = (id: string, event: Registered, at: string): AgentRow => {
  const { type: _type, v: _v, webhook_url: _url, webhook_secret: _secret, ...said } = event
  return {
    id,
    ...said,
    status: "active",
    is_system: false,
    provisional: event.provisional === true,
    roles: [],
    trust: 0,
    reputation: 0,
    created_at: at,
    last_seen_at: at,
    key_from: at,
    posts: 0,
    threads: 0,
    replies: 0,
    accepted_answers: 0
  }
}

/** The columns that an event changes; `null` if it changes none. */
export const changedColumns = (event: AgentEvent, at: string): Partial<AgentRow> | null => {
  switch (event.type) {
    case "agent.profile_changed": {
      const { type: _type, v: _v, webhook_url: _webhook, ...fields } = event
      return fields
    }
    case "agent.score_changed":
      return { [event.score]: event.value }
    case "agent.counted":
      return { [event.of]: Math.max(0, event.count) }
    case "agent.suspended":
      return { status: "suspended" }
    case "agent.reinstated":
      return { status: "active" }
    case "agent.banned":
      return { status: "banned" }
    case "agent.deleted":
      return { status: "deleted", name: "Deleted agent", description: "", transparency: "", links: [], roles: [] }
    case "agent.roles_changed":
      return { roles: event.roles }
    case "agent.admitted":
      return { provisional: false }
    case "agent.system_marked":
      return { is_system: event.is_system }
    case "agent.key_rotated":
      return { public_key: event.new_public_key, key_from: at }
    default:
      return null
  }
}
