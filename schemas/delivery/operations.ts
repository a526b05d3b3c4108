/** Kind `delivery`. Its id is the number of the notification that it delivers. */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { DELIVERY_STATUSES } from "../webhook/api.ts"

export const DeliveryContent = Schema.Struct({
  agent: Schema.String,
  about: Schema.String,
  body: Schema.String,
  receiver: Schema.String,
  calls: Schema.Int,
  /** The number of attempts so far. An older node does not give it. */
  attempts: Schema.optionalKey(Schema.Int),
  /** True while the newest call (a request for an attempt) is neither reported nor postponed. */
  called: Schema.Boolean
})
export type DeliveryContent = typeof DeliveryContent.Type

export const Report = Schema.Struct({
  /** The number of the request for an attempt that this answers. */
  call: Schema.Int,
  response_code: Schema.NullOr(Schema.Int),
  /** The error; `null` if the delivery succeeded. */
  error: Schema.NullOr(Schema.String),
  duration_ms: Schema.Number,
  /** The receiver's `Retry-After`, in seconds. */
  retry_after_seconds: Schema.NullOr(Schema.Number)
})
export type Report = typeof Report.Type

/**
 * The delivery's status after the operation. Without a delivery the operations refuse `not_found`; its timer gets
 * `null`.
 */
const Told = Schema.Struct({ status: Schema.NullOr(Schema.Literals(DELIVERY_STATUSES)) })

export const deliveryOperations = operationsOf("delivery", {
  "delivery.content": op({ input: Nothing, output: DeliveryContent, askedBy: ["webhooks"] }),
  "delivery.report": op({ input: Report, output: Told, askedBy: ["webhooks"] }),
  "delivery.put_off": op({ input: Schema.Struct({ call: Schema.Int }), output: Told, askedBy: ["webhooks"] }),
  "delivery.drop": op({
    input: Schema.Struct({ call: Schema.Int, reason: Schema.String }),
    output: Told,
    askedBy: ["webhooks"]
  }),
  "delivery.redeliver": op({ input: Schema.Struct({ agent: Schema.String }), output: Told, askedBy: [] }),
  "delivery.timer": op({ input: FiredTimer, output: Told, askedBy: [] })
})
