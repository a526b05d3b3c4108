/**
 * One delivery of a notification to a webhook: its state and its events (spec 2.8, contract 4). `null`: never queued.
 */
import type { DeliveryStatus } from "../../schemas/webhook/api.ts"

export interface Delivery {
  readonly agent: string
  readonly about: string
  /** The same bytes at each attempt. */
  readonly body: string
  readonly receiver: string
  /** Unix ms. */
  readonly created_at: number
  readonly status: DeliveryStatus
  /** Made so far, over all rounds. */
  readonly attempts: number
  /** Made since it was queued, or queued again: the place in the schedule. */
  readonly round: number
  /** How often an attempt has been called for: whoever makes it answers to that number. */
  readonly calls: number
  /** The last call has not been answered yet. */
  readonly called: boolean
  /** How often in a row the receiver had no room. */
  readonly put_off: number
  readonly redeliveries: number
  /** Unix ms of the attempt that a timer is set for; `null` while none is. */
  readonly next_attempt_at: number | null
}

export type DeliveryState = Delivery | null

export type DeliveryEvent =
  | {
      readonly type: "delivery.queued"
      readonly v: 1
      readonly agent: string
      /** Type of the notification. */
      readonly about: string
      readonly body: string
      /** Host and port of the address as it was then, by which workers share themselves out. */
      readonly receiver: string
    }
  | { readonly type: "delivery.due"; readonly v: 1; readonly call: number }
  | {
      readonly type: "delivery.attempted"
      readonly v: 1
      readonly attempt: number
      readonly status: DeliveryStatus
      readonly response_code: number | null
      readonly error: string | null
      readonly duration_ms: number
      /** Unix ms. */
      readonly next_attempt_at: number | null
    }
  | { readonly type: "delivery.put_off"; readonly v: 1; readonly next_attempt_at: number }
  | { readonly type: "delivery.dropped"; readonly v: 1; readonly reason: string }
  | { readonly type: "delivery.redelivered"; readonly v: 1; readonly call: number }

export const DELIVERY_EVENTS = {
  "delivery.queued": 1,
  "delivery.due": 1,
  "delivery.attempted": 1,
  "delivery.put_off": 1,
  "delivery.dropped": 1,
  "delivery.redelivered": 1
} as const satisfies Record<DeliveryEvent["type"], number>

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

/** Host and port. An address that was masked, in a history that is passed on, stands for its own receiver. */
export const receiverOf = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { hostname, port, protocol } = new URL(url)
  return `${hostname}:${port === "" ? (protocol === HTTPS ? "443" : "80") : port}`
}
