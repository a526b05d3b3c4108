/**
 * Kind `agent` sends captchas to its owners. Kind `captcha`, whose id is a number, is one captcha. Context, origin and
 * answer are sealed in log and tables. The edge seals the picture under a key of its own and stores it as a blob. The
 * captcha's actor stores that key in sealed form.
 */
import { Schema } from "effect"
import { BlobRef } from "../blob/operations.ts"
import { Author } from "../content/author.ts"
import { Nothing, op, operationsOf, query } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { Captcha, CaptchaAnswer, CaptchaKind, CaptchaResult, CaptchaState } from "./records.ts"

/** A stored picture: its size in pixels, and its type after `image/`. */
const Picture = Schema.Struct({
  blob: BlobRef,
  width: Schema.Int,
  height: Schema.Int,
  type: Schema.Literals(["png", "jpeg"])
})
type Picture = typeof Picture.Type

const Sent = Schema.Struct({
  kind: CaptchaKind,
  context: Schema.NullOr(Schema.String),
  origin: Schema.NullOr(Schema.String),
  picture: Picture,
  /** The key of the sealed picture in base64url. */
  key: Schema.String,
  /** The number of the fill that waits for the captcha, if there is one. */
  fill: Schema.NullOr(Schema.Int)
})
export type SentCaptcha = typeof Sent.Type

export const relayingOperations = operationsOf("agent", {
  /** Refused `captcha_needs_human`, or `rate_limited` if too many are pending. */
  "captcha.send": op({
    input: Sent,
    output: Schema.Struct({ id: Schema.Int, created_at: Schema.String, expires_at: Schema.String }),
    askedBy: ["edge"]
  }),
  /** Checks the conditions of `captcha.send` before the picture is stored, and refuses like it. */
  "captcha.may_send": op({ input: Nothing, output: Nothing, askedBy: ["edge"] }),
  /** Reports a captcha's outcome to its agent. `answered_at` is in Unix ms; `null` unless `state` is `answered`. */
  "captcha.told": op({
    input: Schema.Struct({
      captcha: Schema.Int,
      state: CaptchaState,
      kind: CaptchaKind,
      answered_at: Schema.NullOr(Schema.Number)
    }),
    output: Nothing,
    askedBy: []
  })
})

/** `ofFill` is true for a fill service, which sees only the captchas of fills. */
const ByAgent = Schema.Struct({ agent: Schema.String, ofFill: Schema.Boolean })
const ByHuman = Schema.Struct({ human: Schema.String })

export const captchaOperations = operationsOf("captcha", {
  /** The captcha as its agent sees it. Refused `not_found` for any other agent. */
  "captcha.look": op({ input: ByAgent, output: Captcha, askedBy: ["edge"] }),
  /** Refused `captcha_not_pending`. */
  "captcha.cancel": op({ input: ByAgent, output: Nothing, askedBy: ["edge"] }),
  /** Refused `captcha_not_answered`. */
  "captcha.report": op({
    input: Schema.Struct({ ...ByAgent.fields, result: CaptchaResult }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /**
   * The captcha as one of the agent's owners sees it. `key` is `null` after the picture was erased, and if the people
   * for whom it was sealed have no account any more.
   */
  "captcha.shown": op({
    input: ByHuman,
    output: Schema.Struct({
      captcha: Captcha,
      agent: Schema.String,
      picture: Picture,
      key: Schema.NullOr(Schema.String)
    }),
    askedBy: ["edge"]
  }),
  /**
   * An answer by one of the owners. Refused `captcha_not_pending`, or `validation_error` for an answer to another kind.
   */
  "captcha.answer": op({
    input: Schema.Struct({ human: Schema.String, answer: CaptchaAnswer }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  "captcha.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})

export const captchaQueries = {
  /** Captchas that wait for a person's answer. The one that ends first comes first. */
  captchas_pending: query({
    input: ByHuman,
    output: Schema.Array(Schema.Struct({ id: Schema.Int, agent: Author, kind: CaptchaKind, expires_at: Schema.String }))
  })
}
