/**
 * Sends mail out of the service: one message to one recipient. The result of an attempt is an outcome, never a failure.
 * Its `reason` contains no text from outside, which might hold an address or a password.
 */
import type { Effect } from "effect"

export interface Outgoing {
  /** Id in the queue: `<mail>-<n>`. */
  readonly id: string
  /** The address of the mailbox. */
  readonly from: string
  /** The sender of the envelope, to which failures return. */
  readonly envelopeFrom: string
  readonly to: string
  /** The id of the message, the same for all recipients. */
  readonly message: string
  readonly recipients: ReadonlyArray<string>
  /** The message (RFC 5322), signed if the service signs. */
  readonly bytes: Buffer
}

/**
 *  - `refused`: certainly not taken, and no later attempt will succeed, for example because the address does not exist.
 *  - `passing`: certainly not taken; a later attempt may succeed.
 *  - `unknown`: the other side may have taken the message, and did not say so.
 */
export type Outcome =
  | { readonly type: "sent"; readonly provider_id: string | null; readonly delivered: boolean }
  | { readonly type: "refused"; readonly of: "address" | "message"; readonly reason: string }
  | { readonly type: "passing"; readonly reason: string; readonly retry_after?: number }
  | { readonly type: "unknown"; readonly reason: string }

export interface Transport {
  readonly name: "local" | "file" | "relay" | "mx" | "ses"
  /** True if the service has to sign the message (DKIM). */
  readonly signs: boolean
  /** True if an attempt of unknown outcome may be repeated, because two accepted copies are one message. */
  readonly repeatable: boolean
  /** Sends within a limited time. `hurry` resolves when attempts under way must end. */
  readonly send: (outgoing: Outgoing, hurry: Effect.Effect<void>) => Effect.Effect<Outcome>
}
