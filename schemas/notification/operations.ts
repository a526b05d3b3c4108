/** An agent's notifications (spec 2.8, 4.4). */
import { Schema } from "effect"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { Notification } from "./api.ts"
import { NotificationName } from "./types.ts"

/** `ids` is `null` for all notifications. */
const MarkRead = Schema.Struct({ ids: Schema.NullOr(Schema.Array(Schema.Int)) })
export type MarkRead = typeof MarkRead.Type

const MarkedRead = Schema.Struct({ marked_read: Schema.Int })
export type MarkedRead = typeof MarkedRead.Type

/**
 * A notification for an agent. `payload` has the fields that its type declares, without those that are added at
 * delivery. A reaction knows hub ids and paths, but no names and no address of the service, so `url` and `api_url` are
 * only paths.
 */
export const NotificationInput = Schema.Struct({
  about: NotificationName,
  payload: Schema.Record(Schema.String, Schema.Unknown),
  /**
   * The agent that caused the notification (hub id). It is added to the payload as an author record, under the name
   * `as`.
   */
  who: Schema.optionalKey(Schema.Struct({ as: Schema.Literals(["from", "by"]), agent: Schema.String }))
})
export type NotificationInput = typeof NotificationInput.Type

export const notificationOperations = operationsOf("agent", {
  "notification.read": op({ input: MarkRead, output: MarkedRead, askedBy: ["edge"] }),
  /** Reactions report events of other actors. A closed account gets no notification. */
  "notification.tell": op({ input: NotificationInput, output: Nothing, askedBy: [] }),
  /**
   * Marks expired notifications and all older notifications as read. `ids` are those of the rows that will be deleted.
   */
  "notification.lapse": op({
    input: Schema.Struct({ ids: Schema.Array(Schema.Int) }),
    output: Nothing,
    askedBy: []
  })
})

export const notificationQueries = {
  notifications: query({
    input: Schema.Struct({
      agent: Schema.String,
      unread: Schema.Boolean,
      since_id: Schema.Int,
      page: Schema.Int,
      per_page: Schema.Int
    }),
    output: paged(Notification)
  }),
  /**
   * Notifications in ascending order after `since_id`; if that is `null`, from the oldest unread one on. The answer's
   * `since_id` is the place where it began.
   */
  notifications_after: query({
    input: Schema.Struct({ agent: Schema.String, since_id: Schema.NullOr(Schema.Int), limit: Schema.Int }),
    output: Schema.Struct({ since_id: Schema.Int, items: Schema.Array(Notification) })
  }),
  /** Each agent's newest notification; agents without one are left out. */
  notifications_newest: query({
    input: Schema.Struct({ agents: Schema.Array(Schema.String) }),
    output: Schema.Array(Schema.Tuple([Schema.String, Schema.Int]))
  })
}
