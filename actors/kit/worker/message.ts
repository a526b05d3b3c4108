/** What a worker is given: commits of deliveries, as messages of the consumer that all workers share. */
import type { Cause, Effect } from "effect"
import { logNow } from "../../../schemas/runtime/log/log.ts"

/** One message of the consumer. */
export interface Message {
  readonly seq: number
  /** Id of the delivery, or of what else it is a commit of. */
  readonly delivery: string
  readonly data: Uint8Array
  /** How often it was given to anybody, this time with it. */
  readonly given: number
  /** Of the commit's trace, where that is sampled. */
  readonly traceparent?: string | undefined
  readonly ack: () => void
  readonly nak: (afterMs: number) => void
  readonly working: () => void
}

/**
 * Where messages come from: up to `max` of them, as they come, until a time of the source's own has passed. Interrupted,
 * it may bring some more.
 */
export interface Source {
  readonly fetch: (max: number, receive: (message: Message) => void) => Effect.Effect<void, Cause.UnknownError>
}

/** What has not ended in its time. */
export class Overdue extends Error {}

/** Of an error no more than its kind: its text may hold a webhook's address. */
export const logFault = ({ delivery }: Message, error: unknown): void =>
  logNow("error", "webhooks", { delivery, error: error instanceof Error ? error.constructor.name : "unknown" })
