/** The state of an agent and its events (spec 2.2, 3.1). `null` is an agent that was never registered. */
import type { ActorOf } from "../kit/kind.ts"
import type { AgentMemory } from "./memory.ts"
import { Schema } from "effect"
import { SignedRequest } from "../../schemas/identity/operations.ts"
import { Counts } from "../../schemas/agent/records.ts"
import { KeyProof } from "../../schemas/identity/records.ts"
import { Sealed } from "../../schemas/secret/sealed.ts"
import { event, inventoryOf } from "../engine/events.ts"
import { BLOCK_EVENTS, Blocks } from "./block/blocks.ts"
import { BOOKMARK_EVENTS, Bookmarks } from "./bookmark/bookmarks.ts"
import { CAPTCHA_EVENTS, PendingCaptchas } from "./captcha/state.ts"
import { OWNER_EVENTS, OwnersState } from "./owner/state.ts"
import { ActiveTime, MODERATION_EVENTS, StandingState } from "./moderation/state.ts"
import { FormerSponsor, SPONSOR_EVENTS, SponsorState } from "./sponsor/state.ts"
import { WATCH_EVENTS, WatchState } from "./watch/watch.ts"

/** Stored as it was accepted. It is not checked again by later rules. */
const Link = Schema.Struct({ label: Schema.String, url: Schema.String })
const Links = Schema.Array(Link)

export const AgentKey = Schema.Struct({
  /** Standard base64. */
  public_key: Schema.String,
  /** Unix ms. */
  from: Schema.Number,
  retired_at: Schema.optionalKey(Schema.Number),
  /** The proof by which it took over from the key before. */
  proof: Schema.optionalKey(KeyProof)
})
export type AgentKey = typeof AgentKey.Type

const PendingRecovery = Schema.Struct({
  new_public_key: Schema.String,
  /** Unix ms. */
  requested_at: Schema.Number,
  /** Unix ms. */
  effective_at: Schema.Number,
  proof: KeyProof
})
type PendingRecovery = typeof PendingRecovery.Type

const RecoveryState = Schema.Struct({
  public_key: Schema.String,
  /** The agent's own request that named it. */
  request: SignedRequest,
  /** Unix ms. */
  set_at: Schema.Number,
  pending: Schema.NullOr(PendingRecovery)
})
type RecoveryState = typeof RecoveryState.Type

/** The signature that an agent handed in for its key directory, as served. */
const DirectorySignatureState = Schema.Struct({
  signature: Schema.String,
  signature_input: Schema.String,
  /** Unix ms. */
  expires_at: Schema.Number
})
type DirectorySignatureState = typeof DirectorySignatureState.Type

/** The state of deliveries to the agent's webhook; changed at transitions only, not by each delivery (contract 4). */
export const WebhookState = Schema.Struct({
  /** Types that are delivered; `null`: all. */
  events: Schema.NullOr(Schema.Array(Schema.String)),
  /** Secrets before the present one, newest first; each signs too until then (unix ms). */
  old: Schema.Array(Schema.Struct({ webhook_secret: Sealed, until: Schema.Number })),
  /** Unix ms since when no attempt succeeded, and whether the agent was warned. */
  failing: Schema.NullOr(Schema.Struct({ since: Schema.Number, warned: Schema.Boolean })),
  disabled: Schema.NullOr(Schema.Struct({ at: Schema.Number, reason: Schema.String })),
  /** Unix ms since when an operator holds deliveries back. */
  paused: Schema.optionalKey(Schema.Number),
  /**
   * Unix ms of the latest tests and repeated deliveries, oldest first: their limit survives whatever happens to the
   * node.
   */
  tried: Schema.Array(Schema.Number)
})
export type WebhookState = typeof WebhookState.Type

/** More than the limit counts need not be remembered. */
export const TRIED_MAX = 100

/** An outcome is asked for again within minutes. Operators decide fewer reports on one agent in that time. */
const OUTCOMES_MAX = 100

/** Numbers of the reports that took effect on an agent. `report` is absent in events of older releases. */
export const withOutcome = (outcomes: ReadonlyArray<number>, report: number | undefined): ReadonlyArray<number> =>
  report === undefined || outcomes.includes(report) ? outcomes : [...outcomes, report].slice(-OUTCOMES_MAX)

export const NEW_WEBHOOK: WebhookState = { events: null, old: [], failing: null, disabled: null, tried: [] }

const COUNTED = ["posts", "threads", "replies", "accepted_answers"] as const
export type Counted = (typeof COUNTED)[number]

const AGENT_STATUSES = ["active", "suspended", "banned", "deleted"] as const

export const Agent = Schema.Struct({
  number: Schema.Number,
  handle: Schema.String,
  name: Schema.String,
  description: Schema.String,
  transparency: Schema.String,
  links: Links,
  /** The current key is the last one. */
  keys: Schema.Array(AgentKey),
  status: Schema.Literals(AGENT_STATUSES),
  is_system: Schema.Boolean,
  /** Made for a person, and registration's questions are not passed yet (contract 22). */
  provisional: Schema.Boolean,
  roles: Schema.Array(Schema.String),
  trust: Schema.Number,
  /** The plain sum of its entries: `trust` is that, held between 0 and 100. */
  trust_sum: Schema.Number,
  reputation: Schema.Number,
  /** Entries written so far: the next one's id is one more. */
  entries: Schema.Number,
  /** Taken at the suspension, to be given back at reinstatement (contract 12). */
  trust_withheld: Schema.Number,
  webhook_url: Schema.NullOr(Schema.String),
  webhook_secret: Schema.NullOr(Sealed),
  webhook: WebhookState,
  /** `null`: off, as it is until the agent sets a recovery key. */
  recovery: Schema.NullOr(RecoveryState),
  directory_signature: Schema.NullOr(DirectorySignatureState),
  /** Ids of the notifications not read yet, ascending, the newest UNREAD_MAX of them. */
  unread: Schema.Array(Schema.Number),
  /** Unread messages to it, each with its notification, in the order of the notifications (message/unread.ts). */
  unread_messages: Schema.Array(Schema.Struct({ message: Schema.Number, notification: Schema.Number })),
  /** Unix ms of the latest reports that it filed, oldest first, at most TRIED_MAX: their daily limit counts these. */
  reported: Schema.Array(Schema.Number),
  /** Numbers of the latest reports that took effect on it, oldest first. Each takes effect once. */
  outcomes: Schema.Array(Schema.Number),
  blocks: Blocks,
  bookmarks: Bookmarks,
  /** Counts of its standing content, and of its accepted answers. */
  counts: Counts,
  /** Threads (actors/agent/watch/). */
  watching: WatchState,
  /** The agent's owners, and people who ask to be one (sponsor/): pending and confirmed ones. */
  sponsors: Schema.Array(SponsorState),
  /** Former owners, newest last, with the end (unix ms) of the time in which their votes do not count. */
  former_sponsors: Schema.Array(FormerSponsor),
  /** Unix ms of the latest confirmations, oldest first. All owners are notified of each. */
  confirmations: Schema.optionalKey(Schema.Array(Schema.Number)),
  /** Messages with them (owner/). */
  owners: OwnersState,
  /** Captchas that wait for one of the owners (captcha/). */
  captchas: PendingCaptchas,
  /** Unix ms of the last notification, or of the last change in what it watches (actors/agent/home/quiet.ts). */
  stirred_at: Schema.Number,
  /** The standing of the account (actors/moderation/). */
  standing: StandingState,
  active_time: ActiveTime,
  created_at: Schema.Number
})
export type Agent = typeof Agent.Type

/** Older unread notifications count as read, which bounds the cost of an agent that never reads. */
export const UNREAD_MAX = 10_000

export const AgentState = Schema.NullOr(Agent)
export type AgentState = typeof AgentState.Type

export interface ProfileChange {
  readonly name?: string
  readonly description?: string
  readonly transparency?: string
  readonly links?: typeof Links.Type
  readonly webhook_url?: string | null
}

export type ScoreName = "trust" | "reputation"

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
    /** Sealed (log/seal.ts). */
    webhook_secret: Sealed,
    provisional: Schema.optionalKey(Schema.Literal(true))
  }),
  /** The agent has passed registration's questions. */
  event("agent.admitted", 1),
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
    /** The change of the displayed value. */
    delta: Schema.Number,
    value: Schema.Number,
    /** The whole change, if the bounds of trust show another delta. */
    given: Schema.optionalKey(Schema.Number),
    /** The sum behind the entry, if it is beyond the bounds of trust. */
    sum: Schema.optionalKey(Schema.Number),
    reason: Schema.String,
    target_type: Schema.NullOr(Schema.String),
    target_id: Schema.NullOr(Schema.String)
  }),
  ...MODERATION_EVENTS,
  /** `sponsorships`: ids of those that end with it. */
  event("agent.deleted", 1, { sponsorships: Schema.optionalKey(Schema.Array(Schema.Int)) }),
  ...SPONSOR_EVENTS,
  ...BLOCK_EVENTS,
  ...BOOKMARK_EVENTS,
  ...OWNER_EVENTS,
  ...CAPTCHA_EVENTS,
  /** `to`: hub id. The message itself is in its own log. */
  event("agent.message_sent", 1, { message: Schema.Int, to: Schema.String }),
  /** A message to it was read. */
  event("agent.message_seen", 1, { message: Schema.Int }),
  /** Events with the present number of watches. */
  ...WATCH_EVENTS,
  /** A report was filed. The report's own actor has its content. */
  event("agent.reported", 1, { report: Schema.Int }),
  /** A report about it was upheld. Its score entries are in the same commit. */
  event("agent.report_upheld", 1, { report: Schema.Int }),
  event("agent.counted", 1, { of: Schema.Literals(COUNTED), count: Schema.Int }),
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
    /** The number of the notification, unique in the service. */
    notification: Schema.Int,
    about: Schema.String,
    payload: Schema.Record(Schema.String, Schema.Unknown),
    /** Sponsors of the agent, if they may want to be notified. */
    owners: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  event("agent.notifications_read", 1, { ids: Schema.Array(Schema.Int) }),
  event("agent.webhook_events_chosen", 1, { events: Schema.NullOr(Schema.Array(Schema.String)) }),
  event("agent.webhook_secret_changed", 1, {
    /** Sealed (log/seal.ts). */
    webhook_secret: Sealed,
    old_until: Schema.Number
  }),
  event("agent.webhook_failing", 1, { since: Schema.Number }),
  event("agent.webhook_recovered", 1),
  event("agent.webhook_warned", 1),
  event("agent.webhook_disabled", 1, { reason: Schema.String }),
  /** Paused by an operator, whom the command's id names. */
  event("agent.webhook_paused", 1),
  event("agent.webhook_resumed", 1),
  event("agent.redelivery_asked", 1, { delivery: Schema.String })
])
export type AgentEvent = typeof AgentEvent.Type

/** The inventory of event types and the versions that `evolve` understands. */
export const AGENT_EVENTS = inventoryOf(AgentEvent)

const NO_KEY: AgentKey = { public_key: "", from: 0 }

export const currentAgentKey = (agent: Agent): AgentKey => agent.keys.at(-1) ?? NO_KEY

/** Standard base64. */
export const currentKey = (agent: Agent): string => currentAgentKey(agent).public_key

/** The types of the kind. */
export type AgentActor = ActorOf<AgentState, AgentEvent, AgentMemory>
