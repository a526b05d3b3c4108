/** Messages of a worker: commits of one kind of actor, from the consumer that all workers of the kind share. */
import type { Cause, Effect } from "effect"
import { eventsOf, type EventUnion } from "../../engine/events.ts"
import { type Inventory, knowsEvent } from "../../engine/fold.ts"
import type { Commit } from "../../log/commit.ts"

export interface Message {
  readonly seq: number
  /** Id of the actor that the commit belongs to, such as a delivery. */
  readonly delivery: string
  readonly data: Uint8Array
  /** The number of deliveries of the message, this one included. */
  readonly given: number
  /** The trace of the commit, if it was sampled. */
  readonly traceparent?: string | undefined
  readonly ack: () => void
  readonly nak: (afterMs: number) => void
  readonly working: () => void
}

/**
 * A source of messages. It delivers up to `max` of them as they arrive, and ends after its own time limit. After an
 * interruption some more may arrive.
 */
export interface Source {
  readonly fetch: (max: number, receive: (message: Message) => void) => Effect.Effect<void, Cause.UnknownError>
}

const text = new TextDecoder()

/** The events of the commit in a message; `undefined` if a newer release wrote one of them. */
export const eventsIn = <Declared extends EventUnion>(
  inventory: Inventory,
  declared: Declared,
  { data }: Message
): ReadonlyArray<Declared["Type"]> | undefined => {
  if (data.length === 0) return []
  const commit = JSON.parse(text.decode(data)) as Commit
  return commit.events.every((event) => knowsEvent(inventory, event)) ? eventsOf(declared, commit) : undefined
}

/** The kind of an error, for logs. The text of an error may contain an address or a mail. */
export const kindOf = (error: unknown): string => {
  if (error instanceof Error) return error.constructor.name
  const { code } = (typeof error === "object" && error !== null ? error : {}) as { readonly code?: unknown }
  return typeof code === "string" ? code : "unknown"
}
