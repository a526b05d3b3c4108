/**
 * What may be asked of each actor kind and of each view: the inventory that edge and actors share.
 * Inputs have passed the edge's schemas; outputs are the `data` of the envelope unless said otherwise.
 */
import type { AgentSort, UpdateMe } from "../agent/api.ts"
import type { AgentListed, AgentPrivate, AgentPublic, Deleted, ScoreHistoryPrivate } from "../agent/records.ts"
import type {
  Attestation, DirectoryEntry, DirectorySignature, HostVerifications, IdentityRecord, KeyRotated, Recovery, RecoveryScheduled, Verdict, VerifyChallenge, VerifyScheme
} from "../identity/records.ts"
import type { Category, Health, Stats } from "../meta/api.ts"
import type { Clock } from "../meta/clock.ts"
import type { Standing } from "../moderation/api.ts"
import type { Notification } from "../notification/api.ts"
import type { Challenge, Questions, Register } from "../registration/api.ts"
import type { Ed25519Jwk } from "../signing/jwk.ts"
import type { Queued, Webhook, WebhookDelivery, WebhookSecret } from "../webhook/api.ts"

/** Where a request came from, as a keyed hash: addresses themselves are never kept. */
export type Origin = string

export interface Operations {
  /** Kind `agent`, id = hub id of the key that signs (or of the agent). With `by`: signature settled first. */
  "agent.authenticate": { input: null; output: { readonly id: string; readonly handle: string; readonly roles: ReadonlyArray<string>; readonly status: string; readonly trust: number; readonly reputation: number } }
  "agent.me": { input: null; output: typeof AgentPrivate.Type }
  "agent.update": { input: UpdateMe; output: typeof AgentPrivate.Type }
  "agent.delete": { input: { readonly confirm: string }; output: typeof Deleted.Type }
  /** Without `by`. Refused `not_found` for an agent that is banned, deleted or was never there. */
  "agent.profile": { input: null; output: typeof AgentPublic.Type }
  /** Records the nonce of a signature by a key that need not be registered (registration step 3). */
  "agent.admit_key": { input: null; output: { readonly state: "free" | "registered" | "retired" } }
  /** First answers under an Idempotency-Key (contract 13, 21). */
  "idempotency.begin": { input: IdempotencyEntry; output: IdempotencyBegin }
  /**
   * `status: 0` keeps nothing and frees the key again: the answer was one that a retry may change (401, 429, 5xx), or far
   * too long. Of a long one that shows a record it is kept that it was given.
   */
  "idempotency.finish": { input: IdempotencyEntry & { readonly status: number; readonly answer: string }; output: null }

  /** Keys and identity of the agent (spec 2.4, 4.4, 4.7). `identity.record` knows agents of every standing. */
  "identity.record": { input: null; output: IdentityRecord }
  "identity.keys": { input: null; output: { readonly keys: ReadonlyArray<Ed25519Jwk>; readonly signature: { readonly signature: string; readonly signature_input: string } | null } }
  /** Output `null` where no agent has the number after all. */
  "identity.verify": { input: IdentityClaim; output: Verdict | null }
  "identity.hosts": { input: { readonly page: number; readonly per_page: number }; output: Paged<HostVerifications> }
  "identity.rotate": { input: NewKey; output: KeyRotated }
  "identity.recovery": { input: null; output: Recovery }
  "identity.set_recovery": { input: { readonly recovery_public_key: string; readonly proof: string; readonly request: SignedRequest }; output: Recovery }
  "identity.unset_recovery": { input: null; output: Recovery }
  "identity.cancel_recovery": { input: null; output: Recovery }
  /** Without `by`: the key that signed stands in `request`. */
  "identity.recover": { input: NewKey; output: RecoveryScheduled }
  "identity.directory_signature": { input: null; output: DirectorySignature }
  /** The edge has verified it: `public_key` is the key it is good by. `expires_at`: unix ms. */
  "identity.sign_directory": { input: { readonly signature: string; readonly signature_input: string; readonly expires_at: number; readonly public_key: string }; output: DirectorySignature }
  "identity.unsign_directory": { input: null; output: DirectorySignature }
  "identity.challenge": { input: null; output: VerifyChallenge }
  "identity.attest": { input: { readonly challenge: string; readonly signature: string }; output: Attestation }

  /** `ids: null` is all of them. */
  "notification.read": { input: { readonly ids: ReadonlyArray<number> | null }; output: { readonly marked_read: number } }

  /** How the account stands; both may be asked while it is suspended. */
  "moderation.standing": { input: null; output: Standing }
  "moderation.appeal": { input: { readonly text: string }; output: Standing }

  /** The agent's webhook (spec 4.4). `events: null` is all of them. */
  "webhook.show": { input: null; output: Webhook }
  "webhook.choose": { input: { readonly events: ReadonlyArray<string> | null }; output: Webhook }
  "webhook.rotate_secret": { input: null; output: WebhookSecret }
  "webhook.test": { input: null; output: Queued }
  "webhook.redeliver": { input: { readonly delivery: string }; output: Queued }

  /** Kind `number`, id = the agent number. Refused `not_found` when nobody has it. */
  "number.resolve": { input: null; output: { readonly agent: string } }

  /** Kind `handle`, id = the handle in lower case. Refused `not_found` when nobody has it. */
  "handle.resolve": { input: null; output: { readonly agent: string } }

  /** Kind `challenge`, id = 32 hex characters. */
  "challenge.create": { input: { readonly public_key: string; readonly hub_id: string; readonly origin: Origin }; output: Challenge }
  "challenge.serve": { input: { readonly pow_nonce: unknown }; output: Questions }
  /**
   * Output: the registered agent's private profile with `webhook_secret` and `welcome`. `wide_home`: the actor that counts the
   * challenges of the client's /48, where there is one.
   */
  "challenge.register": {
    input: { readonly form: Register; readonly hub_id: string; readonly origin: Origin; readonly wide_home?: string | null }
    output: unknown
  }

  /** Kind `service`, id = `own`. Headers for the service's own key directory as fetched from one of its hosts. */
  "service.sign_directory": { input: { readonly authority: string }; output: { readonly signature: string; readonly signature_input: string } }

  /** Kind `limit`, id by `bucketActor`: one rate-limit bucket. Grants 0 to `wanted` requests of the window. `wide`: of a /48. */
  "limit.draw": { input: { readonly bucket: string; readonly wanted: number; readonly wide?: true }; output: LimitGrant }
}

/** A request as its signer signed it. Keys in standard base64. */
export interface SignedRequest {
  readonly public_key: string
  readonly string_to_sign: string
  readonly signature: string
  readonly body: string
}

export interface NewKey {
  /** Standard base64 of a key that may be registered. */
  readonly new_public_key: string
  /** As sent. */
  readonly proof: string
  readonly request: SignedRequest
}

/** What the edge has read out of a website's headers; `proof: null` is a number that was merely announced. */
export interface IdentityClaim {
  readonly scheme: VerifyScheme
  readonly proof: IdentityProof | null
}

export interface IdentityProof {
  /** As sent. */
  readonly timestamp: string
  readonly nonce: string
  /** Base64 of either alphabet, as sent. */
  readonly signature: string
  /** What the signature must be of; `null` where nothing could be made of the request. */
  readonly string_to_sign: string | null
  /** Web Bot Auth: only the key of this thumbprint, and not from this time (unix seconds) on. */
  readonly keyid?: string
  readonly expires?: number
  /** The website's host line, for its counter. */
  readonly host: string
}

/**
 * Whose key signs at an endpoint: an agent's current one; the current one, which the request itself retires; an agent's
 * recovery key; one that is to become an agent's.
 */
export type Signer = "agent" | "retiring" | "recovery" | "candidate"

export interface IdempotencyEntry {
  /** Hash of the signing key, the method, the path and the Idempotency-Key. */
  readonly key: string
  /** Hash of the body. */
  readonly body: string
  readonly signer: Signer
}

export type IdempotencyBegin =
  /** `again`: it was carried out, and its answer is made anew by asking under the same command with `Ask.again`. */
  | { readonly state: "new"; readonly again?: true }
  | { readonly state: "in_flight" }
  | { readonly state: "conflict" }
  | { readonly state: "done"; readonly status: number; readonly answer: string }

export interface LimitGrant {
  readonly granted: number
  readonly limit: number
  readonly remaining: number
  /** Unix ms at which the window ends. */
  readonly resets_at: number
}

export interface Queries {
  agents: { input: { readonly page: number; readonly per_page: number; readonly sort: AgentSort; readonly q: string | null }; output: Paged<AgentListed> }
  scores: { input: { readonly agent: string; readonly limit: number }; output: ReadonlyArray<(typeof ScoreHistoryPrivate.Type)["entries"][number]> }
  notifications: {
    input: { readonly agent: string; readonly unread: boolean; readonly since_id: number; readonly page: number; readonly per_page: number }
    output: Paged<Notification>
  }
  /** Ascending from `since_id` on; where that is `null`, from the oldest unread one on. `since_id` of the answer: where it began. */
  notifications_after: {
    input: { readonly agent: string; readonly since_id: number | null; readonly limit: number }
    output: { readonly since_id: number; readonly items: ReadonlyArray<Notification> }
  }
  /** Each agent's newest notification; agents without one are left out. */
  notifications_newest: { input: { readonly agents: ReadonlyArray<string> }; output: ReadonlyArray<readonly [string, number]> }
  deliveries: { input: { readonly agent: string; readonly page: number; readonly per_page: number }; output: Paged<WebhookDelivery> }
  /** How the directory stands; its blocks only where they are asked for. */
  directory: { input: { readonly blocks: boolean }; output: DirectoryState }
  /** Entries of one block by agent number. Its members come in this order: readers look at the beginning alone. */
  directory_block: {
    input: { readonly block: number }
    output: { readonly count: number; readonly max_number: number; readonly agents: Readonly<Record<string, DirectoryEntry>> }
  }
  categories: { input: null; output: ReadonlyArray<Category> }
  stats: { input: null; output: Stats }
  /** The actor side's own checks; the edge adds its own. `clocks`: against the node's own, which showed `now` (Unix ms) at the end; nodes of an older release do not tell. */
  /** Whether anybody answers for the read models at all. */
  alive: { input: null; output: null }
  /** Answered by actor nodes: it is also of the log. */
  health: { input: null; output: Pick<Health, "status"> & { readonly checks: NonNullable<Health["checks"]>; readonly clocks?: ReadonlyArray<Clock>; readonly now?: number } }
}

export interface DirectoryState {
  /** Sequence of the last commit that changed anything in it. */
  readonly version: number
  readonly max_number: number
  readonly count: number
  /** Block of numbers and the sequence that last changed it, in order; empty where they were not asked for. */
  readonly blocks: ReadonlyArray<readonly [number, number]>
}

export interface Paged<T> {
  readonly items: ReadonlyArray<T>
  readonly total: number
}

export type OperationName = keyof Operations
export type QueryName = keyof Queries

/** A query's answer on the bus: JSON of one of the two. */
export type QueryReply<T> = { readonly ok: true; readonly data: T } | { readonly ok: false; readonly refused: import("../errors.ts").Refusal }
