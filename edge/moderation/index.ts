/** The standing of the calling agent, and its appeal (spec 3.1). */
import { Effect } from "effect"
import { MakeAppeal, ModerationApi } from "../../schemas/moderation/api.ts"
import { routesOf } from "../http/handlers.ts"
import { withoutSecrets } from "../content/secrets.ts"
import { bodyDecoder } from "../http/json.ts"
import { dataBytes } from "../http/respond.ts"
import { turnFor } from "../http/turns.ts"
import { author, own } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeAppeal = bodyDecoder(MakeAppeal)

const CREATED = 201

export const routes = ({ bus }: EdgeParts) =>
  routesOf(ModerationApi, {
    getMyStanding: (call) => Effect.map(own(bus, call, "moderation.standing", null), (standing) => dataBytes(standing)),
    appeal: (call) =>
      Effect.gen(function* () {
        const { text } = yield* decodeAppeal(call)
        yield* withoutSecrets([{ field: "text", text }], author(call), turnFor(call))
        return dataBytes(yield* own(bus, call, "moderation.appeal", { text }), CREATED)
      })
  })
