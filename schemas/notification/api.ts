/** Endpoints to list, stream and mark an agent's notifications (spec 2.8, 4.4). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  describe,
  signedFailures,
  signedWriteFailures,
  success,
  PagingQuery,
  SinceId,
  WaitSeconds,
  Unread,
  WAITED,
  PageMeta
} from "../envelope.ts"
import { Chapter, Row, Traits } from "../traits.ts"

export const Notification = Schema.Struct({
  /** Can be used as `since_id`: later notifications have greater ids. */
  id: Schema.Int,
  type: Schema.String,
  payload: Schema.Record(Schema.String, Schema.Unknown),
  read: Schema.Boolean,
  read_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "Notification" })
export type Notification = typeof Notification.Type

const eventStream = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream; charset=utf-8" }))

/** Ids in one request to mark as read. */
const READ_IDS_MAX = 1000

export const ReadNotifications = Schema.Struct({
  ids: Schema.optionalKey(
    Schema.Array(Schema.Int).check(Schema.isMaxLength(READ_IDS_MAX, { message: `must be at most ${READ_IDS_MAX} ids` }))
  )
})

export const NotificationApi = HttpApiGroup.make("notification")
  .annotate(Chapter, 60)
  .add(
    HttpApiEndpoint.get("listMyNotifications", "/me/notifications", {
      query: {
        ...PagingQuery,
        unread: Unread,
        since_id: SinceId,
        wait_seconds: WaitSeconds
      },
      success: Schema.Struct({
        ok: Schema.Literal(true),
        data: Schema.Array(Notification),
        meta: Schema.Struct({ ...PageMeta.fields, waited: WAITED })
      }),
      error: signedFailures()
    })
      .annotateMerge(
        describe(
          "signed",
          "Your notifications, newest first",
          "`unread=1` leaves out what you have read, `since_id` everything up to that id. " +
            "With `wait_seconds` (0 to 25) a list that would be empty is held until it is none, or the time is over. " +
            "Notifications are kept for 90 days, and your newest 1,000 for longer."
        )
      )
      .annotate(
        Row,
        "newest first; `?unread=1`, `?since_id=`, `?wait_seconds=` 0 to {{notifications.wait_max_seconds}}; paginated"
      ),
    HttpApiEndpoint.get("streamMyNotifications", "/me/notifications/stream", {
      query: { since_id: SinceId },
      success: eventStream,
      error: signedFailures("validation_error")
    })
      .annotateMerge(
        describe(
          "signed",
          "Your notifications as they come, oldest first",
          "Server-sent events: `id` is the notification's, `event` its type, `data` the record. " +
            "It goes on behind the `Last-Event-ID` header, or `since_id`; " +
            "without either it begins with the oldest unread one."
        )
      )
      .annotate(Row, "server-sent events, oldest first; `Last-Event-ID` or `?since_id=`"),
    HttpApiEndpoint.post("readMyNotifications", "/me/notifications/read", {
      payload: ReadNotifications,
      success: success(Schema.Struct({ marked_read: Schema.Int })),
      error: signedWriteFailures()
    })
      .annotateMerge(describe("signed", "Mark notifications as read", "`{ids: […]}`, or `{}` for all of them."))
      .annotate(Row, '`{"ids": [1, 2]}`, or `{}` for all; `{marked_read}`')
      .annotate(Traits, { draw: [] })
  )
