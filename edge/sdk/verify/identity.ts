/** An agent as the verifier sees it, from any source. */
import type { AgentFields } from "./verdict.ts"

export interface Identity {
  readonly fields: AgentFields
  /** `null` for a retired identity. */
  readonly key: Uint8Array | null
  retiredKeys(): ReadonlyArray<Uint8Array>
}

export const NO_KEYS = (): ReadonlyArray<Uint8Array> => []

export const STATUSES = ["active", "flagged", "retired"] as const
export const MODERATIONS = [null, "suspended", "banned"] as const

/** Matches the handles of verdicts. The hub's own rule for new handles is narrower. */
export const HANDLE = /^[A-Za-z0-9_-]{1,32}$/
