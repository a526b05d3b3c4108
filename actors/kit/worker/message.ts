/** Messages of a worker: commits of one kind of actors, from the consumer that all workers of it share. */
import type { Cause, Effect } from "effect"
import { eventsOf, type EventUnion } from "../../engine/events.ts"
import { type Inventory, knowsEvent } from "../../engine/fold.ts"
import type { Commit } from "../../log/commit.ts"

/** One message of the consumer. */
export interface Message {
  readonly seq: number
  /** Id of the delivery, or of what else it is a commit of. */
  readonly delivery: string
  readonly data: Uint8Array
  /** The number of deliveries of the message, this one included. */
  readonly given: number
  /** The commit's trace, if that is sampled. */
  readonly traceparent?: string | undefined
  readonly ack: () => void
  readonly nak: (afterMs: number) => void
  readonly working: () => void
}

/**
 * A source of messages: up to `max` of them, as they come, until a time of the source's own has passed. Interrupted, it
 * may bring some more.
 */
export interface Source {
  readonly fetch: (max: number, receive: (message: Message) => void) => Effect.Effect<void, Cause.UnknownError>
}

const text = new TextDecoder()

/** Events of the commit that a message holds; `undefined`: a newer release wrote one of them. */
export const eventsIn = <Declared extends EventUnion>(
  inventory: Inventory,
  declared: Declared,
  { data }: Message
): ReadonlyArray<Declared["Type"]> | undefined => {
  if (data.length === 0) return []
  const commit = JSON.parse(text.decode(data)) as Commit
  return commit.events.every((event) => knowsEvent(inventory, event)) ? eventsOf(declared, commit) : undefined
}

/** The kind of an error, which is all that a log line has of it: its text may hold an address or a mail. */
export const kindOf = (error: unknown): string => {
  if (error instanceof Error) return error.constructor.name
  const { code } = (typeof error === "object" && error !== null ? error : {}) as { readonly code?: unknown }
  return typeof code === "string" ? code : "unknown"
}
