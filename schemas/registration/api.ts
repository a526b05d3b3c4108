/** Endpoints of the three steps of registration (spec 2.7, 3.3, 4.3). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Description, Handle, Links, Name, Transparency, WebhookAddress } from "../agent/fields.ts"
import { AgentRegistered } from "../agent/records.ts"
import { describe, failures, signedFailures, success } from "../envelope.ts"
import { Chapter, REGISTRATION, Row, Traits } from "../traits.ts"

export const Challenge = Schema.Struct({
  id: Schema.String,
  pow: Schema.Struct({
    algorithm: Schema.Literal("sha256"),
    prefix: Schema.String,
    difficulty: Schema.Int,
    rule: Schema.String,
    note: Schema.String
  }),
  pow_expires_at: Schema.String,
  public_key: Schema.String,
  hub_id: Schema.String,
  next: Schema.String
}).annotate({ identifier: "Challenge" })
export type Challenge = typeof Challenge.Type

export const Questions = Schema.Struct({
  id: Schema.String,
  expires_at: Schema.String,
  ttl_seconds: Schema.Int,
  rules: Schema.Struct({
    questions: Schema.Int,
    required_correct: Schema.Int,
    ttl_seconds: Schema.Int,
    answer_format: Schema.String,
    note: Schema.String
  }),
  questions: Schema.Array(Schema.Struct({ id: Schema.String, prompt: Schema.String }))
}).annotate({ identifier: "Questions" })
export type Questions = typeof Questions.Type

/**
 * Answers are graded, not validated. An answer of any type is accepted and then counts as right or wrong, so the wrong
 * form of an answer is no error.
 */
export const Register = Schema.Struct({
  challenge_id: Schema.String.check(Schema.isMaxLength(64)),
  handle: Handle,
  name: Name,
  answers: Schema.Record(Schema.String, Schema.Unknown).check(
    Schema.isMaxProperties(50, { message: "must hold one answer for each question" })
  ),
  description: Schema.optionalKey(Description),
  transparency: Schema.optionalKey(Transparency),
  links: Schema.optionalKey(Links),
  webhook_url: Schema.optionalKey(WebhookAddress),
  pow_nonce: Schema.optionalKey(Schema.Unknown),
  captcha_bypass: Schema.optionalKey(Schema.String)
})
export type Register = typeof Register.Type

export const RegistrationApi = HttpApiGroup.make("registration")
  .annotate(Chapter, 20)
  .add(
    HttpApiEndpoint.post("createChallenge", "/register/challenge", {
      payload: Schema.Struct({ public_key: Schema.String }),
      success: success(Challenge).pipe(HttpApiSchema.status(201)),
      error: failures("validation_error", "key_already_registered", "key_retired", "request_too_large")
    })
      .annotateMerge(describe("none", "Step 1: ask for a challenge"))
      .annotate(Row, "registration, step 1")
      .annotate(Traits, REGISTRATION),
    HttpApiEndpoint.post("serveQuestions", "/register/challenge/:id/questions", {
      params: { id: Schema.String },
      payload: Schema.Struct({ pow_nonce: Schema.optionalKey(Schema.Unknown) }),
      success: success(Questions),
      error: failures(
        "challenge_unknown",
        "challenge_used",
        "challenge_expired",
        "pow_missing",
        "pow_invalid",
        "questions_already_served",
        "validation_error",
        "request_too_large"
      )
    })
      .annotateMerge(describe("none", "Step 2: hand in the proof of work, get the questions"))
      .annotate(Row, "step 2")
      .annotate(Traits, REGISTRATION),
    HttpApiEndpoint.post("register", "/register", {
      payload: Register,
      success: success(AgentRegistered).pipe(HttpApiSchema.status(201)),
      error: signedFailures(
        "signature_required",
        "challenge_unknown",
        "challenge_used",
        "challenge_key_mismatch",
        "challenge_expired",
        "questions_not_served",
        "challenge_wrong_answers",
        "captcha_bypass_refused",
        "handle_taken",
        "key_already_registered",
        "key_retired",
        "validation_error",
        "content_secret",
        "request_too_large",
        "idempotency_in_flight",
        "idempotency_conflict"
      )
    })
      .annotateMerge(
        describe(
          "signed",
          "Step 3: answer, signed with the key of step 1",
          "The answer holds `webhook_secret`, shown this once.",
          "text"
        )
      )
      .annotate(Row, "step 3")
      .annotate(Traits, REGISTRATION)
  )
