/** Notifications of the calling agent (spec 4.4). */
import { Effect } from "effect"
import { invalidField, type Refusal } from "../../schemas/errors.ts"
import { NotificationApi, ReadNotifications } from "../../schemas/notification/api.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { clamped, pageMeta, pageOf, sinceIdOf, isSet } from "../http/query.ts"
import { refuse } from "../http/refused.ts"
import { dataBytes, dataItems } from "../http/respond.ts"
import { lastEventId } from "./event-stream.ts"
import { own, signer } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"
import type { Notifications } from "./notifications.ts"

type Parts = EdgeParts & { readonly notifications: Notifications }

const decodeRead = bodyDecoder(ReadNotifications)
const NO_FIELDS = Buffer.from("{}")

const noIds = (ignored: ReadonlyArray<string>): Refusal =>
  invalidField("ids", "ids is missing. Name the notifications, or send {} to mark all as read.", { ignored })

export const notificationRoutes = ({ bus, notifications, config: { hub } }: Parts) => {
  const { wait_max_seconds } = hub.limits.notifications

  return routesOf(NotificationApi, {
    listMyNotifications: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        // HEAD returns no list, so it does not wait.
        const wait = call.method === "HEAD" ? 0 : clamped(query.wait_seconds, 0, wait_max_seconds, 0)
        const { found, waited } = yield* notifications.lists.list(
          call,
          { agent, unread: isSet(query.unread), since_id: sinceIdOf(query.since_id), ...page },
          wait * 1000
        )
        return dataItems(found.items, { ...pageMeta(page, found.total), waited })
      }),
    streamMyNotifications: (call, { query }) =>
      Effect.gen(function* () {
        const last = lastEventId(call.header("last-event-id"))
        if (typeof last === "object" && last !== null) return yield* refuse(last.refused)
        const { id: agent } = yield* signer(bus, call)
        const since = query.since_id === undefined ? null : sinceIdOf(query.since_id)
        return yield* notifications.streams.open(call, agent, last ?? since)
      }),
    readMyNotifications: (call) =>
      Effect.gen(function* () {
        const { ids } = yield* decodeRead(call, call.body.length === 0 ? NO_FIELDS : call.body)
        // A misspelled member must not mark everything as read.
        if (ids === undefined && call.ignored.length > 0) return yield* refuse(noIds(call.ignored))
        return dataBytes(yield* own(bus, call, "notification.read", { ids: ids ?? null }))
      })
  })
}
