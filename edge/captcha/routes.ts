/** Captchas that an agent sends to its owner (spec 4.10; contract 10, 20). */
import { Effect } from "effect"
import { CaptchaApi, ReportCaptcha, SendCaptcha } from "../../schemas/captcha/api.ts"
import { CAPTCHA_LIMITS } from "../../schemas/captcha/limits.ts"
import type { Operations } from "../../schemas/bus/operations.ts"
import { parse } from "../bus/bus.ts"
import { captchaTaking } from "./captchas.ts"
import { admitted, numberOf } from "../content/writing.ts"
import { textsIn } from "../content/texts.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { clamped } from "../http/query.ts"
import { dataValue } from "../http/respond.ts"
import { withoutOwnerSecrets } from "../content/secrets.ts"
import { author, own, signer } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"
import type { Captchas } from "./captchas.ts"

const decodeSent = bodyDecoder(SendCaptcha)
const decodeReport = bodyDecoder(ReportCaptcha)

const { captcha_wait_max_seconds } = CAPTCHA_LIMITS

export const captchaRoutes = ({ bus, captchas }: EdgeParts & { readonly captchas: Captchas }) =>
  routesOf(CaptchaApi, {
    sendCaptcha: (call) =>
      Effect.gen(function* () {
        const sent = yield* decodeSent(call)
        const { context = null, origin = null } = sent
        yield* withoutOwnerSecrets([...textsIn({ context, origin })], author(call))
        const { agent } = yield* admitted(bus, call, captchaTaking(sent))
        if (!call.again) yield* bus.read(call, { actor: agent, op: "captcha.may_send", input: null })
        return yield* captchas.handed(call, sent, {
          whose: { agent, ofFill: false },
          fill: null,
          begin: (one) => Effect.map(own(bus, call, "captcha.send", one), parse<Operations["captcha.send"]["output"]>)
        })
      }),
    getCaptcha: (call, { params, query }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("captcha", params.id)
        const { id: agent } = yield* signer(bus, call)
        const wait = call.method === "HEAD" ? 0 : clamped(query.wait_seconds, 0, captcha_wait_max_seconds, 0)
        return dataValue(yield* captchas.held(call, { agent, ofFill: false }, id, wait))
      }),
    cancelCaptcha: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("captcha", params.id)
        const { agent } = yield* admitted(bus, call)
        return dataValue(yield* captchas.cancelled(call, { agent, ofFill: false }, id))
      }),
    reportCaptcha: (call, { params }) =>
      Effect.gen(function* () {
        const { result } = yield* decodeReport(call)
        const id = yield* numberOf("captcha", params.id)
        const { agent } = yield* admitted(bus, call)
        return yield* captchas.reported(call, { agent, ofFill: false }, id, result)
      })
  })
