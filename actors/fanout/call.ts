/** Reads from a delivery's commit which attempt is due. */
import { isCompleted } from "../../schemas/notification/completed.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { eventsIn, kindOf, type Message } from "../kit/worker/message.ts"
import { DELIVERY_EVENTS, DeliveryEvent } from "../delivery/noun.ts"

export interface Content {
  readonly agent: string
  readonly about: string
  readonly body: string
  readonly receiver: string
  /** The number of attempts before this one. */
  readonly attempts?: number
}

export interface Called {
  readonly call: number
  /** `null` if the delivery's actor has to be asked for the content. */
  readonly content: Content | null
}

export const logFault = ({ delivery }: Message, error: unknown): void =>
  logNow("error", "webhooks", { delivery, error: kindOf(error) })

/**
 * `null` if the message requests no attempt; `undefined` if a newer release wrote it. A malformed commit is logged and
 * dropped.
 */
export const calledBy = (message: Message): Called | null | undefined => {
  try {
    return calledIn(eventsIn(DELIVERY_EVENTS, DeliveryEvent, message))
  } catch (error) {
    logFault(message, error)
    return null
  }
}

const calledIn = (events: ReadonlyArray<DeliveryEvent> | undefined): Called | null | undefined => {
  if (events === undefined) return undefined
  for (const event of events) {
    if (event.type === "delivery.queued") {
      const { agent, about, body, receiver } = event
      // The delivery's actor adds people's names, owners' texts and the content of mail when it is asked.
      return { call: 1, content: isCompleted(about) ? null : { agent, about, body, receiver, attempts: 0 } }
    }
    if (event.type === "delivery.due" || event.type === "delivery.redelivered")
      return { call: event.call, content: null }
  }
  return null
}
