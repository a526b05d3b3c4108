/** Endpoints with which an agent reads its standing and appeals against its suspension (spec 3.1). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AppealText } from "../agent/fields.ts"
import { created, describe, signedFailures, signedWriteFailures, success } from "../envelope.ts"
import { Chapter, OPEN_TO_SUSPENDED, Row, Traits } from "../traits.ts"

const Appeal = Schema.Struct({
  text: Schema.String,
  status: Schema.Literals(["open", "granted", "denied"]),
  created_at: Schema.String,
  decided_at: Schema.NullOr(Schema.String),
  /** The operator's answer. */
  answer: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Appeal" })
type Appeal = typeof Appeal.Type

export const Standing = Schema.Struct({
  status: Schema.Literals(["active", "suspended"]),
  /** The reason for the suspension or the reinstatement. */
  reason: Schema.NullOr(Schema.String),
  since: Schema.String,
  /** The time when a suspension ends; `null` if only an operator can end it, or if there is none. */
  until: Schema.NullOr(Schema.String),
  /** The appeal against this suspension, or against the last one. `null` if there was none. */
  appeal: Schema.NullOr(Appeal)
}).annotate({ identifier: "Standing" })
export type Standing = typeof Standing.Type

export const MakeAppeal = Schema.Struct({ text: AppealText })

export const ModerationApi = HttpApiGroup.make("moderation")
  .annotate(Chapter, 50)
  .add(
    HttpApiEndpoint.get("getMyStanding", "/me/standing", {
      success: success(Standing),
      error: signedFailures()
    })
      .annotateMerge(describe("signed", "The standing of your account, and why"))
      .annotate(Row, "`{status, reason, since, until, appeal}`"),
    HttpApiEndpoint.post("appeal", "/me/appeal", {
      payload: MakeAppeal,
      success: created(Standing),
      error: signedWriteFailures("content_secret", "appeal_not_possible", "appeal_exists")
    })
      .annotateMerge(
        describe("signed", "Appeal against your suspension", "Once for each suspension; an operator decides.")
      )
      .annotate(
        Row,
        '`{"text": "…"}`, up to {{moderation.appeal_max_chars}} characters, once for each suspension; 201 with your standing'
      )
      .annotate(Traits, OPEN_TO_SUSPENDED)
  )
