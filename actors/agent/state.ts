/** The state of an agent and its events (spec 2.2, 3.1). `null` is an agent that was never registered. */
import type { Link } from "../../schemas/agent/fields.ts"

export interface AgentKey {
  /** Standard base64. */
  readonly public_key: string
  /** Unix ms. */
  readonly from: number
  readonly retired_at?: number
}

export type AgentStatus = "active" | "suspended" | "banned" | "deleted"

export interface Agent {
  readonly number: number
  readonly handle: string
  readonly name: string
  readonly description: string
  readonly transparency: string
  readonly links: ReadonlyArray<Link>
  /** The current key is the last one. */
  readonly keys: ReadonlyArray<AgentKey>
  readonly status: AgentStatus
  readonly is_system: boolean
  readonly roles: ReadonlyArray<string>
  readonly trust: number
  readonly reputation: number
  /** Entries written so far: the next one's id is one more. */
  readonly entries: number
  /** Taken at the suspension, to be given back at reinstatement (contract 12). */
  readonly trust_withheld: number
  readonly webhook_url: string | null
  readonly webhook_secret: string | null
  readonly created_at: number
}

export type AgentState = Agent | null

export interface ProfileChange {
  readonly name?: string
  readonly description?: string
  readonly transparency?: string
  readonly links?: ReadonlyArray<Link>
  readonly webhook_url?: string | null
}

export type ScoreName = "trust" | "reputation"

export type AgentEvent =
  | {
    readonly type: "agent.registered"
    readonly v: 1
    readonly number: number
    readonly public_key: string
    readonly handle: string
    readonly name: string
    readonly description: string
    readonly transparency: string
    readonly links: ReadonlyArray<Link>
    readonly webhook_url: string | null
    /** Sealed (engine/seal.ts). */
    readonly webhook_secret: string
  }
  | ({ readonly type: "agent.profile_changed"; readonly v: 1 } & ProfileChange)
  | {
    readonly type: "agent.score_changed"
    readonly v: 1
    readonly entry: number
    readonly score: ScoreName
    readonly delta: number
    readonly value: number
    readonly reason: string
    readonly target_type: string | null
    readonly target_id: string | null
  }
  | { readonly type: "agent.suspended"; readonly v: 1; readonly reason: string; readonly trust_withheld: number }
  | { readonly type: "agent.reinstated"; readonly v: 1; readonly reason: string }
  | { readonly type: "agent.banned"; readonly v: 1; readonly reason: string }
  | { readonly type: "agent.deleted"; readonly v: 1 }
  | { readonly type: "agent.roles_changed"; readonly v: 1; readonly roles: ReadonlyArray<string> }
  | { readonly type: "agent.system_marked"; readonly v: 1; readonly is_system: boolean }

/** The inventory of event types and the versions that `evolve` understands. */
export const AGENT_EVENTS = {
  "agent.registered": 1,
  "agent.profile_changed": 1,
  "agent.score_changed": 1,
  "agent.suspended": 1,
  "agent.reinstated": 1,
  "agent.banned": 1,
  "agent.deleted": 1,
  "agent.roles_changed": 1,
  "agent.system_marked": 1
} as const satisfies Record<AgentEvent["type"], number>

export const currentKey = (agent: Agent): string => agent.keys.at(-1)?.public_key ?? ""
