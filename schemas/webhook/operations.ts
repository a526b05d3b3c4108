/** An agent's webhook, and the operations of workers that make attempts (spec 4.4; contract 4). */
import { Schema } from "effect"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { Queued, Webhook, WebhookDelivery, WebhookSecret } from "./api.ts"

/** The signed content of a delivery, as in schemas/signing/webhook.ts. */
const WebhookToSign = Schema.Struct({ id: Schema.String, timestamp: Schema.String, body: Schema.String })

/** The outcome of an attempt, as far as it concerns the agent. */
export const Attempted = Schema.Struct({
  /** The address to which the delivery was sent. */
  url: Schema.String,
  delivered: Schema.Boolean,
  /** True if the receiver answered 410, which means that it wants no more deliveries. */
  gone: Schema.Boolean
})
export type Attempted = typeof Attempted.Type

/** The address and signature for a delivery, or the reason why it is not sent now. */
export const Signed = Schema.Union([
  Schema.Struct({ url: Schema.String, signature: Schema.String, failing: Schema.Boolean }),
  /** `drop` is the reason why it will not be delivered any more. */
  Schema.Struct({ drop: Schema.String }),
  /** An operator has paused deliveries, so the delivery waits. */
  Schema.Struct({ paused: Schema.Literal(true) })
])
export type Signed = typeof Signed.Type

const Failing = Schema.NullOr(Schema.Struct({ since: Schema.Number, warned: Schema.Boolean }))

const Changed = Schema.Struct({ changed: Schema.Boolean })

export const webhookOperations = operationsOf("agent", {
  "webhook.show": op({ input: Nothing, output: Webhook, askedBy: ["edge"] }),
  /** `events` is `null` for all types. */
  "webhook.choose": op({
    input: Schema.Struct({ events: Schema.NullOr(Schema.Array(Schema.String)) }),
    output: Webhook,
    askedBy: ["edge"]
  }),
  "webhook.rotate_secret": op({ input: Nothing, output: WebhookSecret, askedBy: ["edge"] }),
  "webhook.test": op({ input: Nothing, output: Queued, askedBy: ["edge"] }),
  "webhook.redeliver": op({ input: Schema.Struct({ delivery: Schema.String }), output: Queued, askedBy: ["edge"] }),
  /** An operator pauses deliveries. They wait until `webhook.resume`. */
  "webhook.pause": op({ input: Nothing, output: Changed, askedBy: [] }),
  "webhook.resume": op({ input: Nothing, output: Changed, askedBy: [] }),
  "webhook.sign": op({ input: WebhookToSign, output: Signed, askedBy: ["webhooks"] }),
  "webhook.attempted": op({
    input: Attempted,
    output: Schema.Struct({ failing: Failing, disabled: Schema.Boolean }),
    askedBy: ["webhooks"]
  })
})

export const webhookQueries = {
  deliveries: query({
    input: Schema.Struct({ agent: Schema.String, page: Schema.Int, per_page: Schema.Int }),
    output: paged(WebhookDelivery)
  })
}
