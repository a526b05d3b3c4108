/** The state of an agent and its events (spec 2.2, 3.1). `null` is an agent that was never registered. */
import { Schema } from "effect"
import type { Link } from "../../schemas/agent/fields.ts"
import { SignedRequest } from "../../schemas/identity/operations.ts"
import { KeyProof } from "../../schemas/identity/records.ts"
import { event, inventoryOf } from "../engine/events.ts"
import { type ActiveTime, MODERATION_EVENTS, type StandingState } from "../moderation/state.ts"

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

/** As they were taken: what rules were in force then is not asked again. */
const Links = Schema.Array(Schema.Struct({ label: Schema.String, url: Schema.String }))

/** Unix ms wherever a time is meant. */
export const AgentEvent = Schema.Union([
  event("agent.registered", 1, {
    number: Schema.Int,
    public_key: Schema.String,
    handle: Schema.String,
    name: Schema.String,
    description: Schema.String,
    transparency: Schema.String,
    links: Links,
    webhook_url: Schema.NullOr(Schema.String),
    /** Sealed (engine/seal.ts). */
    webhook_secret: Schema.String
  }),
  event("agent.profile_changed", 1, {
    name: Schema.optionalKey(Schema.String),
    description: Schema.optionalKey(Schema.String),
    transparency: Schema.optionalKey(Schema.String),
    links: Schema.optionalKey(Links),
    webhook_url: Schema.optionalKey(Schema.NullOr(Schema.String))
  }),
  event("agent.score_changed", 1, {
    entry: Schema.Int,
    score: Schema.Literals(["trust", "reputation"]),
    delta: Schema.Number,
    value: Schema.Number,
    reason: Schema.String,
    target_type: Schema.NullOr(Schema.String),
    target_id: Schema.NullOr(Schema.String)
  }),
  ...MODERATION_EVENTS,
  event("agent.deleted", 1),
  event("agent.roles_changed", 1, { roles: Schema.Array(Schema.String) }),
  event("agent.system_marked", 1, { is_system: Schema.Boolean }),
  event("agent.key_rotated", 1, {
    old_public_key: Schema.String,
    /** Since when the old key was the current one. */
    old_from: Schema.Number,
    new_public_key: Schema.String,
    proof: KeyProof
  }),
  event("agent.recovery_set", 1, { recovery_public_key: Schema.String, request: SignedRequest }),
  event("agent.recovery_unset", 1),
  event("agent.recovery_requested", 1, {
    new_public_key: Schema.String,
    effective_at: Schema.Number,
    proof: KeyProof
  }),
  event("agent.recovery_cancelled", 1, { reason: Schema.String }),
  event("agent.directory_signed", 1, {
    signature: Schema.String,
    signature_input: Schema.String,
    expires_at: Schema.Number
  }),
  event("agent.directory_unsigned", 1),
  event("agent.notified", 1, {
    /** Of all notifications of the service, never given twice. */
    notification: Schema.Int,
    about: Schema.String,
    payload: Schema.Record(Schema.String, Schema.Unknown)
  }),
  event("agent.notifications_read", 1, { ids: Schema.Array(Schema.Int) }),
  event("agent.webhook_events_chosen", 1, { events: Schema.NullOr(Schema.Array(Schema.String)) }),
  event("agent.webhook_secret_changed", 1, {
    /** Sealed (engine/seal.ts). */
    webhook_secret: Schema.String,
    old_until: Schema.Number
  }),
  event("agent.webhook_failing", 1, { since: Schema.Number }),
  event("agent.webhook_recovered", 1),
  event("agent.webhook_warned", 1),
  event("agent.webhook_disabled", 1, { reason: Schema.String }),
  event("agent.redelivery_asked", 1, { delivery: Schema.String })
])
export type AgentEvent = typeof AgentEvent.Type

/** The inventory of event types and the versions that `evolve` understands. */
export const AGENT_EVENTS = inventoryOf(AgentEvent)

const NO_KEY: AgentKey = { public_key: "", from: 0 }

export const currentAgentKey = (agent: Agent): AgentKey => agent.keys.at(-1) ?? NO_KEY

/** Standard base64. */
export const currentKey = (agent: Agent): string => currentAgentKey(agent).public_key
