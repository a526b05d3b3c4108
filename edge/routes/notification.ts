/** Notifications of the agent that asks (spec 4.4). */
import { Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import { NotificationApi, ReadNotifications } from "../../schemas/notification/api.ts"
import { bodyDecoder } from "../http/json.ts"
import { clamped, pageMeta, pageOf } from "../http/query.ts"
import { dataBytes, dataValue } from "../http/respond.ts"
import { own } from "./own.ts"
import { routesOf } from "../http/handlers.ts"
import type { RouteParts } from "./parts.ts"

const decodeRead = bodyDecoder(ReadNotifications)
const NO_FIELDS = Buffer.from("{}")

export const notificationRoutes = ({ bus, config: { hub } }: RouteParts) => {
  return routesOf(NotificationApi, {
    listMyNotifications: (call, { query }) =>
      Effect.gen(function*() {
        const me = JSON.parse(Buffer.from(yield* own(bus, call, "agent.authenticate", null)).toString("utf8")) as Operations["agent.authenticate"]["output"]
        const page = pageOf(query, hub.limits)
        const since_id = clamped(query.since_id, 0, Number.MAX_SAFE_INTEGER, 0)
        const found = yield* bus.query(call, "notifications", { agent: me.id, unread: query.unread === "1", since_id, ...page })
        return dataValue(found.items, 200, pageMeta(page, found.total))
      }),
    readMyNotifications: (call) =>
      Effect.gen(function*() {
        const { ids } = yield* decodeRead(call.body.length === 0 ? NO_FIELDS : call.body)
        return dataBytes(yield* own(bus, call, "notification.read", { ids: ids ?? null }))
      })
    
  })
}
