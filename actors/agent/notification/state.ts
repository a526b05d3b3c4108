/** The notifications that an agent has not read, as part of its state. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"

/** Ids of the newest unread notifications in ascending order, at most UNREAD_MAX. */
export const fields = { unread: Schema.Array(Schema.Number) }
type Part = PartOf<typeof fields>

/** Older unread notifications count as read, which bounds the cost of an agent that never reads. */
const UNREAD_MAX = 10_000

export const events = [
  event("agent.notified", 1, {
    /** The number of the notification, unique in the service. */
    notification: Schema.Int,
    about: Schema.String,
    payload: Schema.Record(Schema.String, Schema.Unknown),
    /** The agent's owners, if this type is forwarded to owners. */
    owners: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  event("agent.notifications_read", 1, { ids: Schema.Array(Schema.Int) })
] as const
type Event = (typeof events)[number]["Type"]
export type Notified = Extract<Event, { type: "agent.notified" }>

export const empty: Part = { unread: [] }

export const evolve: Cases<Part, Event> = {
  "agent.notified": ({ unread }, { notification }) =>
    unread.at(-1) === notification ? {} : { unread: [...unread, notification].slice(-UNREAD_MAX) },
  "agent.notifications_read": ({ unread }, { ids }) => {
    const read = new Set(ids)
    return { unread: unread.filter((id) => !read.has(id)) }
  }
}
