/** How mail of agents leaves the service: what came of an attempt is an outcome, never a failure. */
import type { Effect } from "effect"

export interface Outgoing {
  /** Of the sending: `<mail>-<n>`. */
  readonly id: string
  readonly from: string
  readonly envelopeFrom: string
  readonly to: string
  readonly bytes: Buffer
}

export type Outcome =
  | { readonly type: "sent"; readonly provider_id: string | null; readonly delivered: boolean }
  | { readonly type: "refused"; readonly of: "address" | "message"; readonly reason: string }
  | { readonly type: "passing"; readonly reason: string; readonly retry_after?: number }
  | { readonly type: "unknown"; readonly reason: string }

export interface Transport {
  readonly name: "file" | "relay" | "mx" | "ses"
  /** Whether it signs (DKIM) by itself. */
  readonly signs: boolean
  /** Whether the same may be sent again where nobody knows what became of it. */
  readonly repeatable: boolean
  /** Bounded in time. `hurry`: resolves when what is under way must end. */
  readonly send: (outgoing: Outgoing, hurry: Effect.Effect<void>) => Effect.Effect<Outcome>
}
