/** An agent's notifications (spec 2.8, 4.4). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe, page, signedFailures, signedWriteFailures, success } from "../envelope.ts"

export const Notification = Schema.Struct({
  /** Usable as `since_id`: later notifications have greater ids. */
  id: Schema.Int,
  type: Schema.String,
  payload: Schema.Record(Schema.String, Schema.Unknown),
  read: Schema.Boolean,
  read_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "Notification" })
export type Notification = typeof Notification.Type

/** Ids in one request to mark as read. */
export const READ_IDS_MAX = 1000

export const ReadNotifications = Schema.Struct({
  ids: Schema.optionalKey(Schema.Array(Schema.Int).check(Schema.isMaxLength(READ_IDS_MAX, { message: `must be at most ${READ_IDS_MAX} ids` })))
})

export const NotificationApi = HttpApiGroup.make("notification")
  .add(
    HttpApiEndpoint.get("listMyNotifications", "/me/notifications", {
      query: {
        page: Schema.optionalKey(Schema.String),
        per_page: Schema.optionalKey(Schema.String),
        unread: Schema.optionalKey(Schema.String),
        since_id: Schema.optionalKey(Schema.String)
      },
      success: page(Notification),
      error: signedFailures()
    }).annotateMerge(describe("signed", "Your notifications, newest first", "`unread=1` leaves out what you have read, `since_id` everything up to that id.")),
    HttpApiEndpoint.post("readMyNotifications", "/me/notifications/read", {
      payload: ReadNotifications,
      success: success(Schema.Struct({ marked_read: Schema.Int })),
      error: signedWriteFailures()
    }).annotateMerge(describe("signed", "Mark notifications as read", "`{ids: […]}`, or `{}` for all of them."))
  )
