/**
 * How mail leaves the service: one message to one recipient. What an attempt came to is an outcome, never a failure, and
 * says nothing in words that came from elsewhere: those may hold an address, or a password.
 */
import type { Effect } from "effect"

export interface Outgoing {
  /** Of the queue: `<mail>-<n>`. */
  readonly id: string
  /** Address of the mailbox. */
  readonly from: string
  /** Of the envelope: what comes back, comes there. */
  readonly envelopeFrom: string
  readonly to: string
  /** The same for all to whom it goes. */
  readonly message: string
  readonly recipients: ReadonlyArray<string>
  /** RFC 5322; signed, where the service signs. */
  readonly bytes: Buffer
}

/**
 *  - `refused`: not taken, for certain, and no attempt will do better, since the address is none or the message is not
 *    wanted.
 *  - `passing`: not taken, for certain; a later attempt may do better.
 *  - `unknown`: the other side had all of it, and did not say what became of it.
 */
export type Outcome =
  | { readonly type: "sent"; readonly provider_id: string | null; readonly delivered: boolean }
  | { readonly type: "refused"; readonly of: "address" | "message"; readonly reason: string }
  | { readonly type: "passing"; readonly reason: string; readonly retry_after?: number }
  | { readonly type: "unknown"; readonly reason: string }

export interface Transport {
  readonly name: "local" | "file" | "relay" | "mx" | "ses"
  /** Whether the service signs for it (DKIM). */
  readonly signs: boolean
  /** Whether an attempt of which nobody knows may be made again: what is taken twice is one message. */
  readonly repeatable: boolean
  /** Bounded in time. `hurry`: resolves when what is under way must end. */
  readonly send: (outgoing: Outgoing, hurry: Effect.Effect<void>) => Effect.Effect<Outcome>
}
