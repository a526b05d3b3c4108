/** What a commit of a delivery calls for. Pure. */
import { isCompleted } from "../../schemas/notification/completed.ts"
import { eventsOf } from "../engine/events.ts"
import { checkEvents, UnknownEvent } from "../engine/fold.ts"
import { logFault, type Message } from "../kit/worker/message.ts"
import type { Commit } from "../log/commit.ts"
import { DELIVERY_EVENTS, DeliveryEvent } from "../delivery/noun.ts"

export interface Content {
  readonly agent: string
  readonly about: string
  readonly body: string
  readonly receiver: string
  /** Attempts before this one. */
  readonly attempts?: number
}

const text = new TextDecoder()

/**
 * The number of the call, and what is to be sent where the commit says that; `null`: it calls for nothing. Throws
 * `UnknownEvent`.
 */
export const callOf = (data: Uint8Array): { readonly call: number; readonly content: Content | null } | null => {
  if (data.length === 0) return null
  const commit = JSON.parse(text.decode(data)) as Commit
  checkEvents({ kind: "delivery", events: DELIVERY_EVENTS }, commit)
  for (const event of eventsOf(DeliveryEvent, commit)) {
    if (event.type === "delivery.queued") {
      const { agent, about, body, receiver } = event
      // How a person is called, and what an owner wrote, the delivery has to ask.
      return { call: 1, content: isCompleted(about) ? null : { agent, about, body, receiver, attempts: 0 } }
    }
    if (event.type === "delivery.due" || event.type === "delivery.redelivered")
      return { call: event.call, content: null }
  }
  return null
}

/** `undefined`: this release does not know. What nobody can read is called by nobody, and told. */
export const calledBy = (message: Message): ReturnType<typeof callOf> | undefined => {
  try {
    return callOf(message.data)
  } catch (error) {
    if (error instanceof UnknownEvent) return undefined
    logFault(message, error)
    return null
  }
}
