/** The state of an agent and its events (spec 2.2, 3.1). `null` is an agent that was never registered. */
import type { Link } from "../../schemas/agent/fields.ts"
import type { SignedRequest } from "../../schemas/identity/operations.ts"
import type { KeyProof } from "../../schemas/identity/records.ts"
import type { ActiveTime, ModerationEvent, StandingState } from "../moderation/state.ts"

export interface AgentKey {
  /** Standard base64. */
  readonly public_key: string
  /** Unix ms. */
  readonly from: number
  readonly retired_at?: number
  /** How it took over from the key before it. */
  readonly proof?: KeyProof
}

export interface PendingRecovery {
  readonly new_public_key: string
  /** Unix ms. */
  readonly requested_at: number
  /** Unix ms. */
  readonly effective_at: number
  readonly proof: KeyProof
}

export interface RecoveryState {
  readonly public_key: string
  /** The agent's own request that named it. */
  readonly request: SignedRequest
  /** Unix ms. */
  readonly set_at: number
  readonly pending: PendingRecovery | null
}

/** The signature that an agent handed in for its key directory, as served. */
export interface DirectorySignatureState {
  readonly signature: string
  readonly signature_input: string
  /** Unix ms. */
  readonly expires_at: number
}

/** How deliveries to the agent's webhook stand; changed at transitions only, not by each delivery (contract 4). */
export interface WebhookState {
  /** Types that are delivered; `null`: all. */
  readonly events: ReadonlyArray<string> | null
  /** The secret before the last, which signs too until then (unix ms). */
  readonly old: { readonly webhook_secret: string; readonly until: number } | null
  /** No success since then (unix ms), and whether the agent was told. */
  readonly failing: { readonly since: number; readonly warned: boolean } | null
  readonly disabled: { readonly at: number; readonly reason: string } | null
  /**
   * Unix ms of the latest tests and repeated deliveries, oldest first: their limit survives whatever happens to the
   * node.
   */
  readonly tried: ReadonlyArray<number>
}

/** More than the limit counts need not be remembered. */
export const TRIED_MAX = 100

export const NEW_WEBHOOK: WebhookState = { events: null, old: null, failing: null, disabled: null, tried: [] }

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
  readonly webhook: WebhookState
  /** `null`: off, as it is until the agent sets a recovery key. */
  readonly recovery: RecoveryState | null
  readonly directory_signature: DirectorySignatureState | null
  /** Ids of the notifications not read yet, ascending, the newest UNREAD_MAX of them. */
  readonly unread: ReadonlyArray<number>
  /** How the account stands (actors/moderation/). */
  readonly standing: StandingState
  readonly active_time: ActiveTime
  readonly created_at: number
}

/** An older unread notification counts as read: a bound on what an agent that never looks costs. */
export const UNREAD_MAX = 10_000

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
  | ModerationEvent
  | { readonly type: "agent.deleted"; readonly v: 1 }
  | { readonly type: "agent.roles_changed"; readonly v: 1; readonly roles: ReadonlyArray<string> }
  | { readonly type: "agent.system_marked"; readonly v: 1; readonly is_system: boolean }
  | {
      readonly type: "agent.key_rotated"
      readonly v: 1
      readonly old_public_key: string
      /** Unix ms since when the old key was the current one. */
      readonly old_from: number
      readonly new_public_key: string
      readonly proof: KeyProof
    }
  | {
      readonly type: "agent.recovery_set"
      readonly v: 1
      readonly recovery_public_key: string
      readonly request: SignedRequest
    }
  | { readonly type: "agent.recovery_unset"; readonly v: 1 }
  | {
      readonly type: "agent.recovery_requested"
      readonly v: 1
      readonly new_public_key: string
      /** Unix ms. */
      readonly effective_at: number
      readonly proof: KeyProof
    }
  | { readonly type: "agent.recovery_cancelled"; readonly v: 1; readonly reason: string }
  | ({ readonly type: "agent.directory_signed"; readonly v: 1 } & DirectorySignatureState)
  | { readonly type: "agent.directory_unsigned"; readonly v: 1 }
  | {
      readonly type: "agent.notified"
      readonly v: 1
      /** Of all notifications of the service, never given twice. */
      readonly notification: number
      readonly about: string
      readonly payload: Readonly<Record<string, unknown>>
    }
  | { readonly type: "agent.notifications_read"; readonly v: 1; readonly ids: ReadonlyArray<number> }
  | { readonly type: "agent.webhook_events_chosen"; readonly v: 1; readonly events: ReadonlyArray<string> | null }
  | {
      readonly type: "agent.webhook_secret_changed"
      readonly v: 1
      /** Sealed (engine/seal.ts). */
      readonly webhook_secret: string
      /** Unix ms. */
      readonly old_until: number
    }
  | { readonly type: "agent.webhook_failing"; readonly v: 1; readonly since: number }
  | { readonly type: "agent.webhook_recovered"; readonly v: 1 }
  | { readonly type: "agent.webhook_warned"; readonly v: 1 }
  | { readonly type: "agent.webhook_disabled"; readonly v: 1; readonly reason: string }
  | { readonly type: "agent.redelivery_asked"; readonly v: 1; readonly delivery: string }

/** The inventory of event types and the versions that `evolve` understands. */
export const AGENT_EVENTS = {
  "agent.registered": 1,
  "agent.profile_changed": 1,
  "agent.score_changed": 1,
  "agent.suspended": 1,
  "agent.reinstated": 1,
  "agent.banned": 1,
  "agent.appealed": 1,
  "agent.appeal_decided": 1,
  "agent.active_time_counted": 1,
  "agent.deleted": 1,
  "agent.roles_changed": 1,
  "agent.system_marked": 1,
  "agent.key_rotated": 1,
  "agent.recovery_set": 1,
  "agent.recovery_unset": 1,
  "agent.recovery_requested": 1,
  "agent.recovery_cancelled": 1,
  "agent.directory_signed": 1,
  "agent.directory_unsigned": 1,
  "agent.notified": 1,
  "agent.notifications_read": 1,
  "agent.webhook_events_chosen": 1,
  "agent.webhook_secret_changed": 1,
  "agent.webhook_failing": 1,
  "agent.webhook_recovered": 1,
  "agent.webhook_warned": 1,
  "agent.webhook_disabled": 1,
  "agent.redelivery_asked": 1
} as const satisfies Record<AgentEvent["type"], number>

const NO_KEY: AgentKey = { public_key: "", from: 0 }

export const currentAgentKey = (agent: Agent): AgentKey => agent.keys.at(-1) ?? NO_KEY

/** Standard base64. */
export const currentKey = (agent: Agent): string => currentAgentKey(agent).public_key
