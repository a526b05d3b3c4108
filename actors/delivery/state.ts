/**
 * One delivery of a notification to a webhook: its state and its events (spec 2.8, contract 4). `null`: never queued.
 */
import { Schema } from "effect"
import { parseWebAddress } from "../../schemas/web-address.ts"
import { DELIVERY_STATUSES } from "../../schemas/webhook/api.ts"
import { event, inventoryOf } from "../engine/events.ts"

export const Delivery = Schema.Struct({
  agent: Schema.String,
  about: Schema.String,
  /** The body as JSON. Each attempt may complete it with names and texts (actor.ts). */
  body: Schema.String,
  receiver: Schema.String,
  /** Unix ms. */
  created_at: Schema.Number,
  status: Schema.Literals(DELIVERY_STATUSES),
  /** The number of attempts so far, in all rounds. */
  attempts: Schema.Number,
  /** The number of attempts since the delivery was queued, or queued again. It is the position in the schedule. */
  round: Schema.Number,
  /** The number of calls for an attempt. The worker that makes one answers with that number. */
  calls: Schema.Number,
  /** True while the last call is not answered. */
  called: Schema.Boolean,
  /** The number of times in a row that the receiver had no room, or the webhook was paused. */
  put_off: Schema.Number,
  redeliveries: Schema.Number,
  /** Unix ms of the attempt that a timer is set for; `null` if there is none. */
  next_attempt_at: Schema.NullOr(Schema.Number)
})
export type Delivery = typeof Delivery.Type

export const DeliveryState = Schema.NullOr(Delivery)
export type DeliveryState = typeof DeliveryState.Type

export const DeliveryEvent = Schema.Union([
  event("delivery.queued", 1, {
    agent: Schema.String,
    about: Schema.String,
    body: Schema.String,
    /** Host and port of the address at that time, by which workers divide their room. */
    receiver: Schema.String
  }),
  event("delivery.due", 1, { call: Schema.Int }),
  event("delivery.attempted", 1, {
    attempt: Schema.Int,
    status: Schema.Literals(DELIVERY_STATUSES),
    response_code: Schema.NullOr(Schema.Int),
    error: Schema.NullOr(Schema.String),
    duration_ms: Schema.Number,
    /** Unix ms. */
    next_attempt_at: Schema.NullOr(Schema.Number)
  }),
  event("delivery.put_off", 1, { next_attempt_at: Schema.Number }),
  event("delivery.dropped", 1, { reason: Schema.String }),
  event("delivery.redelivered", 1, { call: Schema.Int })
])
export type DeliveryEvent = typeof DeliveryEvent.Type

export const DELIVERY_EVENTS = inventoryOf(DeliveryEvent)

export const evolve = (state: DeliveryState, event: DeliveryEvent, { at }: { readonly at: number }): DeliveryState => {
  if (event.type === "delivery.queued") {
    const { agent, about, body, receiver } = event
    return {
      agent,
      about,
      body,
      receiver,
      created_at: at,
      status: "pending",
      attempts: 0,
      round: 0,
      calls: 1,
      called: true,
      put_off: 0,
      redeliveries: 0,
      next_attempt_at: null
    }
  }
  if (state === null) return null
  switch (event.type) {
    case "delivery.due":
      return { ...state, calls: event.call, called: true, next_attempt_at: null }
    case "delivery.attempted":
      return {
        ...state,
        status: event.status,
        attempts: event.attempt,
        round: state.round + 1,
        called: false,
        put_off: 0,
        next_attempt_at: event.next_attempt_at
      }
    case "delivery.put_off":
      return { ...state, called: false, put_off: state.put_off + 1, next_attempt_at: event.next_attempt_at }
    case "delivery.dropped":
      return { ...state, status: "dropped", called: false, next_attempt_at: null }
    case "delivery.redelivered":
      return {
        ...state,
        status: "pending",
        round: 0,
        calls: event.call,
        called: true,
        put_off: 0,
        redeliveries: state.redeliveries + 1,
        next_attempt_at: null
      }
  }
}

const HTTPS = "https:"

/** Host and port; the whole text if it is not an address, as in an exported history that was masked. */
export const receiverOf = (url: string): string => {
  const parsed = parseWebAddress(url)
  if (parsed === null) return url
  const { hostname, port, protocol } = parsed
  return `${hostname}:${port === "" ? (protocol === HTTPS ? "443" : "80") : port}`
}
