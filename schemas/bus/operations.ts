/**
 * What may be asked of each actor kind and of each view: the inventory that edge and actors share.
 * Inputs have passed the edge's schemas; outputs are the `data` of the envelope unless said otherwise.
 */
import type { AgentSort, UpdateMe } from "../agent/api.ts"
import type { AgentListed, AgentPrivate, AgentPublic, Deleted, ScoreHistoryPrivate } from "../agent/records.ts"
import type { Category, Health, Stats } from "../meta/api.ts"
import type { Challenge, Questions, Register } from "../registration/api.ts"

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
  /** First answers under an Idempotency-Key (contract 13). */
  "idempotency.begin": { input: { readonly key: string; readonly body: string }; output: IdempotencyBegin }
  /** `status: 0` keeps nothing and frees the key again: the answer was one that a retry may change (401, 429, 5xx) or is too long. */
  "idempotency.finish": { input: { readonly key: string; readonly body: string; readonly status: number; readonly answer: string }; output: null }

  /** Kind `handle`, id = the handle in lower case. Refused `not_found` when nobody has it. */
  "handle.resolve": { input: null; output: { readonly agent: string } }

  /** Kind `challenge`, id = 32 hex characters. */
  "challenge.create": { input: { readonly public_key: string; readonly hub_id: string; readonly origin: Origin }; output: Challenge }
  "challenge.serve": { input: { readonly pow_nonce: unknown }; output: Questions }
  /** Output: the registered agent's private profile with `webhook_secret` and `welcome`. */
  "challenge.register": { input: { readonly form: Register; readonly hub_id: string; readonly origin: Origin }; output: unknown }

  /** Kind `limit`, id = `<bucket>.<key hash>`: one rate-limit bucket. Grants 0 to `wanted` requests of the window. */
  "limit.draw": { input: { readonly bucket: string; readonly wanted: number }; output: LimitGrant }
}

export type IdempotencyBegin =
  | { readonly state: "new" }
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
  categories: { input: null; output: ReadonlyArray<Category> }
  stats: { input: null; output: Stats }
  /** The actor side's own checks; the edge adds its own. */
  health: { input: null; output: Pick<Health, "status"> & { readonly checks: NonNullable<Health["checks"]> } }
}

export interface Paged<T> {
  readonly items: ReadonlyArray<T>
  readonly total: number
}

export type OperationName = keyof Operations
export type QueryName = keyof Queries

/** A query's answer on the bus: JSON of one of the two. */
export type QueryReply<T> = { readonly ok: true; readonly data: T } | { readonly ok: false; readonly refused: import("../errors.ts").Refusal }
