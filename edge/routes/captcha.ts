/** An agent has its owner solve a captcha (spec 4.10; contract 10, 20). */
import { Effect } from "effect"
import { CaptchaApi, ReportCaptcha, SendCaptcha } from "../../schemas/captcha/api.ts"
import { CAPTCHA_LIMITS } from "../../schemas/captcha/limits.ts"
import type { Captcha } from "../../schemas/captcha/records.ts"
import type { Operations } from "../../schemas/bus/operations.ts"
import type { ErrorCode } from "../../schemas/errors.ts"
import { parse } from "../bus/bus.ts"
import { imageBytes, Images } from "../captcha/images.ts"
import { newKey, sealBytes } from "../../schemas/secret/bytes.ts"
import { admitted, numberOf } from "../content/writing.ts"
import { textsIn } from "../content/texts.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { clamped } from "../http/query.ts"
import type { Refused } from "../http/refused.ts"
import { dataOfPeople, dataValue, type Response } from "../http/respond.ts"
import { withoutOwnerSecrets } from "../owner/secrets.ts"
import { OwnerWaits } from "../owner/waits.ts"
import { author, own, signer } from "./own.ts"
import type { RouteParts } from "./parts.ts"

const decodeSent = bodyDecoder(SendCaptcha)
const decodeReport = bodyDecoder(ReportCaptcha)

const CREATED = 201
const { captcha_wait_max_seconds } = CAPTCHA_LIMITS
/** What one puts into the log at most, beside its context. */
const CAPTCHA_BYTES = 4000
/** What one counts as of the agent's day at least: written anew, a picture may take more than it came in. */
const UPLOAD_BYTES = 524_288
/** It is there: whoever asks again finds what became of it. */
const UNKNOWN: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "overloaded"])

/** What an owner answered goes with that account. */
const recordOf = (captcha: Captcha, kept: Captcha = { ...captcha, answer: null }, status?: number): Response =>
  captcha.answer === null ? dataValue(captcha, status) : dataOfPeople(captcha, kept, status)

export const captchaRoutes = ({ bus, blobs, notifications, config: { hub } }: RouteParts) => {
  const { captcha_images_at_once: atOnce, captcha_images_waiting_max: waiting } = hub.limits.limits.owner
  const images = new Images({ atOnce, waiting })
  const waits = new OwnerWaits(bus, notifications.forOwners, hub.limits)

  const looked = (call: Call, agent: string, id: number): Effect.Effect<Captcha, Refused> =>
    Effect.suspend(() => bus.read(call, { actor: String(id), op: "captcha.look", input: { agent } }))

  const held = (call: Call, agent: string, id: number, waitSeconds: number): Effect.Effect<Captcha, Refused> =>
    Effect.map(
      waits.hold(call, {
        agent,
        purpose: "captcha",
        waitSeconds,
        look: looked(call, agent, id),
        isThere: ({ state }) => state !== "pending"
      }),
      ({ found, waited }) => ({ ...found, waited })
    )

  /** The picture, written anew and sealed, where the actor can name it. */
  const kept = (call: Call, text: string) =>
    Effect.gen(function* () {
      const { width, height, type, bytes } = yield* images.renewed(call, yield* imageBytes(text))
      const key = newKey()
      const blob = yield* blobs.keep(call, sealBytes(bytes, key))
      return { key, picture: { blob, width, height, type } }
    })

  return routesOf(CaptchaApi, {
    sendCaptcha: (call) =>
      Effect.gen(function* () {
        const { image_base64, kind, context = null, origin = null, wait_seconds = 0 } = yield* decodeSent(call)
        yield* withoutOwnerSecrets([...textsIn({ context, origin })], author(call))
        const { agent } = yield* admitted(bus, call, {
          log: CAPTCHA_BYTES,
          upload: Math.max(image_base64.length, UPLOAD_BYTES)
        })
        if (!call.again) yield* bus.read(call, { actor: agent, op: "captcha.may_send", input: null })
        const picture = yield* kept(call, image_base64)
        const sent = parse<Operations["captcha.send"]["output"]>(
          yield* own(bus, call, "captcha.send", { kind, context, origin, ...picture })
        )
        const { id, created_at, expires_at } = sent
        const pending: Captcha = {
          id,
          state: "pending",
          kind,
          context,
          origin,
          created_at,
          expires_at,
          answered_at: null,
          answer: null,
          answered_by: null,
          result: null,
          waited: false
        }
        if (wait_seconds <= 0) return dataValue(pending, CREATED)
        const found = Effect.catchIf(
          held(call, agent, id, wait_seconds),
          ({ refusal: { code } }) => UNKNOWN.has(code),
          () => Effect.succeed(pending)
        )
        return recordOf(yield* found, pending, CREATED)
      }),
    getCaptcha: (call, { params, query }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("captcha", params.id)
        const { id: agent } = yield* signer(bus, call)
        const wait = call.method === "HEAD" ? 0 : clamped(query.wait_seconds, 0, captcha_wait_max_seconds, 0)
        return dataValue(yield* held(call, agent, id, wait))
      }),
    cancelCaptcha: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("captcha", params.id)
        const { agent } = yield* admitted(bus, call)
        yield* bus.ask(call, { actor: String(id), op: "captcha.cancel", input: { agent } })
        return dataValue(yield* looked(call, agent, id))
      }),
    reportCaptcha: (call, { params }) =>
      Effect.gen(function* () {
        const { result } = yield* decodeReport(call)
        const id = yield* numberOf("captcha", params.id)
        const { agent } = yield* admitted(bus, call)
        yield* bus.ask(call, { actor: String(id), op: "captcha.report", input: { agent, result } })
        return recordOf(yield* looked(call, agent, id))
      })
  })
}
