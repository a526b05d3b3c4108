/** First answers under an Idempotency-Key (contract 13, 21). */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

/**
 * Whose key signs at an endpoint: an agent's current one; the current one, which the request itself retires; an agent's
 * recovery key; one that is to become an agent's.
 */
export const Signer = Schema.Literals(["agent", "retiring", "recovery", "candidate"])
export type Signer = typeof Signer.Type

/** Status of an answer that shows a record as it stands: where it is large, it is made anew and not kept. */
export const REMADE_STATUS = 200

const entryFields = {
  /** Hash of the signing key, the method, the path and the Idempotency-Key. */
  key: Schema.String,
  /** Hash of the body. */
  body: Schema.String,
  signer: Signer
}
export const IdempotencyEntry = Schema.Struct(entryFields)
export type IdempotencyEntry = typeof IdempotencyEntry.Type

export const IdempotencyBegin = Schema.Union([
  /**
   * `begun` names this beginning to its `finish`. `again`: it was carried out, and its answer is made anew by asking
   * under the same command with `Ask.again`.
   */
  Schema.Struct({
    state: Schema.Literal("new"),
    begun: Schema.optionalKey(Schema.String),
    again: Schema.optionalKey(Schema.Literal(true))
  }),
  Schema.Struct({ state: Schema.Literal("in_flight") }),
  Schema.Struct({ state: Schema.Literal("conflict") }),
  Schema.Struct({ state: Schema.Literal("done"), status: Schema.Int, answer: Schema.String })
])
export type IdempotencyBegin = typeof IdempotencyBegin.Type

export const idempotencyOperations = operationsOf("agent", {
  "idempotency.begin": op({ input: IdempotencyEntry, output: IdempotencyBegin, askedBy: ["edge"] }),
  /**
   * `status: 0` keeps nothing and frees the key again: the answer was one that a retry may change (401, 429, 5xx), or
   * far too long. Of a long one that shows a record it is kept that it was given; `remade`: of one so long that it does
   * not come along. `abandoned`: what began may still be under way, so the key is free for the same body alone until the
   * request's deadline.
   */
  "idempotency.finish": op({
    input: Schema.Struct({
      ...entryFields,
      status: Schema.Int,
      answer: Schema.String,
      remade: Schema.optionalKey(Schema.Literal(true)),
      begun: Schema.optionalKey(Schema.String),
      abandoned: Schema.optionalKey(Schema.Literal(true))
    }),
    output: Nothing,
    askedBy: ["edge"]
  })
})
