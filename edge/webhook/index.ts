/** HTTP routes of the calling agent's webhook: events, secret, test and deliveries (spec 4.4). */
import { Effect } from "effect"
import { notFound } from "../../schemas/errors.ts"
import { ChooseEvents, WebhookApi } from "../../schemas/webhook/api.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { refuse } from "../http/refused.ts"
import { dataBytes, dataItems } from "../http/respond.ts"
import { own, signer } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeChoice = bodyDecoder(ChooseEvents)

const ACCEPTED = 202

/** At most 15 digits, because the id becomes a token of a bus subject. */
const DELIVERY_ID = /^[1-9]\d{0,14}$/

export const routes = ({ bus, lists, config: { hub } }: EdgeParts) => {
  return routesOf(WebhookApi, {
    getMyWebhook: (call) => Effect.map(own(bus, call, "webhook.show", null), (webhook) => dataBytes(webhook)),
    chooseWebhookEvents: (call) =>
      Effect.gen(function* () {
        const { events } = yield* decodeChoice(call)
        return dataBytes(yield* own(bus, call, "webhook.choose", { events }))
      }),
    rotateWebhookSecret: (call) =>
      Effect.map(own(bus, call, "webhook.rotate_secret", null), (secret) => dataBytes(secret)),
    testWebhook: (call) => Effect.map(own(bus, call, "webhook.test", null), (queued) => dataBytes(queued, ACCEPTED)),
    listWebhookDeliveries: (call, { query }) =>
      Effect.gen(function* () {
        const me = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const found = yield* lists.page(call, "deliveries", { agent: me.id, ...page })
        return dataItems(found.items, pageMeta(page, found.total))
      }),
    redeliverWebhook: (call, { params }) =>
      Effect.gen(function* () {
        if (!DELIVERY_ID.test(params.id)) return yield* refuse(notFound("delivery"))
        return dataBytes(yield* own(bus, call, "webhook.redeliver", { delivery: params.id }), ACCEPTED)
      })
  })
}
