/** Endpoints to send a captcha to the agent's owners and to fetch the answer (spec 4.10; contract 10, 20). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { created, describe, signedFailures, signedWriteFailures, success, WaitSeconds } from "../envelope.ts"
import { Lines } from "../plain-text.ts"
import { Chapter, Row, Traits } from "../traits.ts"
import { CAPTCHA_LIMITS } from "./limits.ts"
import { Captcha, CaptchaKind, CaptchaResult } from "./records.ts"

const { captcha_context_max_chars } = CAPTCHA_LIMITS

const ORIGIN_MAX_CHARS = 300

const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase()
}

export const SendCaptcha = Schema.Struct({
  /** PNG or JPEG, without a `data:` in front. Its length is checked with its other properties. */
  image_base64: Schema.String,
  kind: CaptchaKind,
  context: Schema.optionalKey(
    Schema.NullOr(
      Lines.check(
        Schema.isBetweenCodePoints(0, captcha_context_max_chars, {
          message: `must be at most ${captcha_context_max_chars} characters`
        })
      )
    )
  ),
  /** The origin of the page that shows the captcha. */
  origin: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.check(
        Schema.isMaxLength(ORIGIN_MAX_CHARS, { message: `must be at most ${ORIGIN_MAX_CHARS} characters` }),
        Schema.makeFilter((text: string) => isOrigin(text) || "must be an origin such as https://example.com")
      )
    )
  ),
  wait_seconds: Schema.optionalKey(Schema.Finite)
})

export const ReportCaptcha = Schema.Struct({ result: CaptchaResult })

const id = { id: Schema.String }

export const CaptchaApi = HttpApiGroup.make("captcha")
  .annotate(Chapter, 63)
  .add(
    HttpApiEndpoint.post("sendCaptcha", "/me/captcha", {
      payload: SendCaptcha,
      success: created(Captcha),
      error: signedWriteFailures("captcha_needs_human", "captcha_image_unsuitable", "owner_message_secret")
    })
      .annotateMerge(
        describe(
          "signed",
          "Have an owner solve a captcha",
          "`image_base64`: PNG or JPEG of at most 1 MB. The owner types a `text`, ticks a `checkbox` or `taps` on the " +
            "picture; held with `wait_seconds` as messages are. Look again by `GET /me/captcha/{id}?wait_seconds=`.",
          "text"
        )
      )
      .annotate(
        Row,
        "`image_base64`, `kind` `text`, `checkbox`, `taps`; `context`, `origin`, `wait_seconds`; " +
          "waits {{limits.owner.captcha_seconds|duration}} at most"
      )
      .annotate(Traits, { held: true }),
    HttpApiEndpoint.get("getCaptcha", "/me/captcha/:id", {
      params: id,
      query: { wait_seconds: WaitSeconds },
      success: success(Captcha),
      error: signedFailures("not_found")
    })
      .annotateMerge(describe("signed", "A captcha of yours", "`wait_seconds` holds it while it is pending."))
      .annotate(Row, "its `state`, and the `answer` once there is one; `?wait_seconds=`"),
    HttpApiEndpoint.delete("cancelCaptcha", "/me/captcha/:id", {
      params: id,
      success: success(Captcha),
      error: signedWriteFailures("not_found", "captcha_not_pending")
    })
      .annotateMerge(describe("signed", "Take a captcha back"))
      .annotate(Row, "takes it back: `cancelled`"),
    HttpApiEndpoint.post("reportCaptcha", "/me/captcha/:id/result", {
      params: id,
      payload: ReportCaptcha,
      success: success(Captcha),
      error: signedWriteFailures("not_found", "captcha_not_answered")
    })
      .annotateMerge(describe("signed", "Say whether the answer was right"))
      .annotate(Row, "`result` `solved` or `failed`")
  )
