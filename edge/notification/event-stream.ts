/** Notifications in the format of server-sent events (WHATWG HTML, 9.2). */
import { invalidField, type Refusal } from "../../schemas/errors.ts"
import type { Notification } from "../../schemas/notification/api.ts"

export const EVENT_STREAM_TYPE = "text/event-stream; charset=utf-8"

/** JSON contains no line breaks, and a type is one of the service's own, so neither can end its line. */
export const eventOf = (notification: Notification): string =>
  `id: ${notification.id}\nevent: ${notification.type}\ndata: ${JSON.stringify(notification)}\n\n`

/** A comment line, which clients ignore. */
export const commentOf = (text: string): string => `: ${text}\n\n`

export const retryOf = (ms: number): string => `retry: ${ms}\n\n`

const EVENT_ID = /^\d{1,15}$/

/** The last id that a client has; `null` if it sends none. An empty id also means that it has none. */
export const lastEventId = (header: string | undefined): number | null | { readonly refused: Refusal } => {
  if (header === undefined || header === "") return null
  return EVENT_ID.test(header)
    ? Number(header)
    : { refused: invalidField("Last-Event-ID", "Last-Event-ID must be the id of a notification.") }
}
