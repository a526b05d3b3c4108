/**
 * Sends letters out of the service. The result of an attempt is an outcome, never a failure. It contains no text from
 * outside, which might hold an address or a password.
 */
import { type Effect, Schema } from "effect"
import type { LetterOutcome } from "../../../schemas/letter/operations.ts"

export const TransportName = Schema.Literals(["file", "smtp", "chat", "push"])
export type TransportName = typeof TransportName.Type

export interface Message {
  readonly id: string
  readonly from: string
  readonly to: string
  /** The Message-ID without angle brackets. */
  readonly messageId: string
  readonly bytes: Uint8Array
}

export interface Transport {
  readonly name: TransportName
  /** Ends within a time that the transport limits. `hurry` resolves when an attempt under way must end. */
  readonly send: (message: Message, hurry: Effect.Effect<void>) => Effect.Effect<LetterOutcome>
}
