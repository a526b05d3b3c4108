/** Kind `human`: browsers in which a person is notified by Web Push (RFC 8030; contract 16, 22). */
import { createECDH } from "node:crypto"
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

const ENDPOINT_MAX_CHARS = 1000
const NAME_MAX_CHARS = 60
const P256DH = /^[A-Za-z0-9_-]{87}$/
const AUTH = /^[A-Za-z0-9_-]{22}$/

const isEndpoint = (text: string): boolean => text.length <= ENDPOINT_MAX_CHARS && URL.canParse(text)

/** True for a point on the curve. Nothing can be encrypted to another value. */
const isPoint = (text: string): boolean => {
  if (!P256DH.test(text)) return false
  const pair = createECDH("prime256v1")
  pair.generateKeys()
  try {
    pair.computeSecret(text, "base64url")
    return true
  } catch {
    return false
  }
}

/** The form of a browser's `PushSubscription.toJSON()`. */
export const PushSubscription = Schema.Struct({
  /** Before each message it is checked again whether the service may connect to this address. */
  endpoint: Schema.String.check(Schema.makeFilter((text: string) => isEndpoint(text) || "must be a web address")),
  keys: Schema.Struct({
    p256dh: Schema.String.check(Schema.makeFilter((text: string) => isPoint(text) || "must be a point of P-256")),
    auth: Schema.String.check(Schema.makeFilter((text: string) => AUTH.test(text) || "must be 16 bytes in base64url"))
  })
})
export type PushSubscription = typeof PushSubscription.Type

/** A stored subscription. It is not checked again each time it is read. */
export const StoredSubscription = Schema.Struct({
  endpoint: Schema.String,
  keys: Schema.Struct({ p256dh: Schema.String, auth: Schema.String })
})

export const SubscribedBrowser = Schema.Struct({ id: Schema.Int, name: Schema.String, since: Schema.String })
export type SubscribedBrowser = typeof SubscribedBrowser.Type

export const pushOperations = operationsOf("human", {
  /**
   * A subscription of the same browser replaces the earlier one. Refused `validation_error` beyond
   * `push_subscriptions_max`.
   */
  "human.subscribe_push": op({
    input: Schema.Struct({
      name: Schema.String.check(Schema.isMaxLength(NAME_MAX_CHARS)),
      subscription: PushSubscription
    }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /** Refused `not_found` if the subscription has ended. */
  "human.has_push": op({ input: Schema.Struct({ id: Schema.Int }), output: Nothing, askedBy: [] }),
  /** Ending a subscription that has ended is no error. */
  "human.end_push": op({ input: Schema.Struct({ id: Schema.Int }), output: Nothing, askedBy: ["edge"] })
})
