/**
 * How letters leave the service. What an attempt came to is an outcome, never a failure, and says nothing in words that
 * came from elsewhere: those may hold an address, or a password.
 */
import { type Effect, Schema } from "effect"
import type { LetterOutcome } from "../../../schemas/letter/operations.ts"

export const TransportName = Schema.Literals(["file", "smtp", "chat", "push"])
export type TransportName = typeof TransportName.Type

export interface Message {
  /** Of the letter. */
  readonly id: string
  readonly from: string
  readonly to: string
  /** Without angle brackets. */
  readonly messageId: string
  readonly bytes: Uint8Array
}

export interface Transport {
  readonly name: TransportName
  /** Bounded in time. `hurry`: resolves when what is under way must end. */
  readonly send: (message: Message, hurry: Effect.Effect<void>) => Effect.Effect<LetterOutcome>
}
