/**
 * Sends mail out of the service: one message to one recipient. The result of an attempt is an outcome, never a failure.
 * It contains no text from outside, which might hold an address or a password.
 */
import type { Effect } from "effect"

export interface Outgoing {
  /** Id in the queue: `<mail>-<n>`. */
  readonly id: string
  /** Address of the mailbox. */
  readonly from: string
  /** The sender of the envelope, to which failures return. */
  readonly envelopeFrom: string
  readonly to: string
  /** The same id for all recipients. */
  readonly message: string
  readonly recipients: ReadonlyArray<string>
  /** The message (RFC 5322), signed if the service signs. */
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
  /** True if the service signs for it (DKIM). */
  readonly signs: boolean
  /** True if an attempt of unknown outcome may be repeated: two accepted copies are one message. */
  readonly repeatable: boolean
  /** Bounded in time. `hurry` resolves when work under way must end. */
  readonly send: (outgoing: Outgoing, hurry: Effect.Effect<void>) => Effect.Effect<Outcome>
}
