/** Notifications of the agent that asks (spec 4.4). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { HubApi } from "../../schemas/api.ts"
import type { Operations } from "../../schemas/bus/operations.ts"
import { ReadNotifications } from "../../schemas/notification/api.ts"
import { BusService } from "../bus/bus.ts"
import { bodyDecoder } from "../http/json.ts"
import { clamped, pageMeta, pageOf } from "../http/query.ts"
import { dataBytes, dataValue } from "../http/respond.ts"
import { EdgeConfigService } from "../http/services.ts"
import { operation } from "./operation.ts"
import { own } from "./own.ts"

const decodeRead = bodyDecoder(ReadNotifications)
const NO_FIELDS = Buffer.from("{}")

export const NotificationRoutes = HttpApiBuilder.group(
  HubApi,
  "notification",
  Effect.fnUntraced(function*(handlers) {
    const bus = yield* BusService
    const { hub } = yield* EdgeConfigService

    return handlers
      .handle("listMyNotifications", operation((call, { query }) =>
        Effect.gen(function*() {
          const me = JSON.parse(Buffer.from(yield* own(bus, call, "agent.authenticate", null)).toString("utf8")) as Operations["agent.authenticate"]["output"]
          const page = pageOf(query, hub.limits)
          const since_id = clamped(query.since_id, 0, Number.MAX_SAFE_INTEGER, 0)
          const found = yield* bus.query(call, "notifications", { agent: me.id, unread: query.unread === "1", since_id, ...page })
          return dataValue(found.items, 200, pageMeta(page, found.total))
        })
      ))
      .handleRaw("readMyNotifications", operation((call) =>
        Effect.gen(function*() {
          const { ids } = yield* decodeRead(call.body.length === 0 ? NO_FIELDS : call.body)
          return dataBytes(yield* own(bus, call, "notification.read", { ids: ids ?? null }))
        })
      ))
  })
)
