/**
 * Endpoints of an agent's webhook: its settings, its secret, and the log of its deliveries (spec 2.8, 4.4; contract 4).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { describe, page, signedFailures, signedWriteFailures, success, PagingQuery } from "../envelope.ts"
import { NOTIFICATION_TYPES, NotificationName } from "../notification/types.ts"
import { Chapter, Row, Traits } from "../traits.ts"

export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "dropped"] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Reasons for a failed attempt, besides `http_<status>` (contract 4). */
const DELIVERY_ERRORS = ["timeout", "dns", "tls", "connect", "redirect", "blocked_address"] as const
export type DeliveryError = (typeof DELIVERY_ERRORS)[number] | `http_${number}`

export const DeliveryAttempt = Schema.Struct({
  attempt: Schema.Int,
  at: Schema.String,
  response_code: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  duration_ms: Schema.Int
})
export type DeliveryAttempt = typeof DeliveryAttempt.Type

export const WebhookDelivery = Schema.Struct({
  id: Schema.Int,
  notification_id: Schema.Int,
  type: Schema.String,
  status: Schema.Literals(DELIVERY_STATUSES),
  attempts: Schema.Int,
  response_code: Schema.NullOr(Schema.Int),
  last_error: Schema.NullOr(Schema.String),
  next_attempt_at: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  delivered_at: Schema.NullOr(Schema.String),
  /** Attempts, oldest first. If there are very many, only the newest. */
  attempts_log: Schema.Array(DeliveryAttempt)
}).annotate({ identifier: "WebhookDelivery" })
export type WebhookDelivery = typeof WebhookDelivery.Type

export const Webhook = Schema.Struct({
  url: Schema.NullOr(Schema.String),
  secret_set: Schema.Boolean,
  /** The time until which the former secret also signs. */
  old_secret_until: Schema.NullOr(Schema.String),
  /** The types that are delivered; `null` for all. */
  events: Schema.NullOr(Schema.Array(Schema.String)),
  failing_since: Schema.NullOr(Schema.String),
  disabled_at: Schema.NullOr(Schema.String),
  disabled_reason: Schema.NullOr(Schema.String),
  /** The time since which an operator has paused deliveries. They wait, and are sent afterwards. */
  paused_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

export const ChooseEvents = Schema.Struct({
  events: Schema.NullOr(
    Schema.Array(NotificationName).check(
      Schema.isMaxLength(NOTIFICATION_TYPES.length, { message: `must be at most ${NOTIFICATION_TYPES.length} types` })
    )
  )
})

export const WebhookSecret = Schema.Struct({
  webhook_secret: Schema.String,
  /** `null` if there was none before. */
  old_secret_until: Schema.NullOr(Schema.String)
}).annotate({ identifier: "WebhookSecret" })
export type WebhookSecret = typeof WebhookSecret.Type

export const Queued = Schema.Struct({
  queued: Schema.Literal(true),
  notification_id: Schema.Int,
  delivery_id: Schema.Int
}).annotate({ identifier: "QueuedDelivery" })
export type Queued = typeof Queued.Type

const queued = success(Queued).pipe(HttpApiSchema.status(202))

export const WebhookApi = HttpApiGroup.make("webhook")
  .annotate(Chapter, 70)
  .add(
    HttpApiEndpoint.get("getMyWebhook", "/me/webhook", {
      success: success(Webhook),
      error: signedFailures()
    })
      .annotateMerge(describe("signed", "Your webhook, and how it stands"))
      .annotate(
        Row,
        "`{url, secret_set, old_secret_until, events, failing_since, disabled_at, disabled_reason, paused_at}`"
      ),
    HttpApiEndpoint.put("chooseWebhookEvents", "/me/webhook/events", {
      payload: ChooseEvents,
      success: success(Webhook),
      error: signedWriteFailures()
    })
      .annotateMerge(
        describe(
          "signed",
          "Choose which notifications go to your webhook",
          "`null` is all of them. A test always goes."
        )
      )
      .annotate(Row, '`{"events": ["webhook.test"]}`, what goes there; `null`: all'),
    HttpApiEndpoint.post("rotateWebhookSecret", "/me/webhook/secret", {
      success: success(WebhookSecret),
      error: signedWriteFailures()
    })
      .annotateMerge(
        describe(
          "signed",
          "A new webhook secret",
          "Shown this once. For a day the old one signs as well; three sign at most."
        )
      )
      .annotate(
        Row,
        "`{webhook_secret, old_secret_until}`: a new secret, shown once; the old one signs for {{webhook.secret_overlap_seconds|duration}} more"
      ),
    // The decision itself counts tests and repeated deliveries together, so that refused ones do not count.
    HttpApiEndpoint.post("testWebhook", "/me/webhook/test", {
      success: queued,
      error: signedWriteFailures("webhook_not_set")
    })
      .annotateMerge(describe("signed", "Send a test to your webhook", "5 an hour, together with repeated deliveries."))
      .annotate(Row, "202; a `webhook.test` goes out")
      .annotate(Traits, { draw: [] }),
    HttpApiEndpoint.get("listWebhookDeliveries", "/me/webhook/deliveries", {
      query: PagingQuery,
      success: page(WebhookDelivery),
      error: signedFailures()
    })
      .annotateMerge(
        describe("signed", "Deliveries to your webhook, newest first", "Those of the last 30 days, with every attempt.")
      )
      .annotate(Row, "of the last {{webhook.log_seconds|duration}}, with every attempt, newest first; paginated"),
    HttpApiEndpoint.post("redeliverWebhook", "/me/webhook/deliveries/:id/redeliver", {
      params: { id: Schema.String },
      success: queued,
      error: signedWriteFailures("not_found", "webhook_not_set", "redelivery_not_possible")
    })
      .annotateMerge(
        describe(
          "signed",
          "Deliver again what was delivered, failed or dropped",
          "Under the same `webhook-id`; the attempts begin anew."
        )
      )
      .annotate(Row, "202; the same again, under the same id")
      .annotate(Traits, { draw: [] })
  )
