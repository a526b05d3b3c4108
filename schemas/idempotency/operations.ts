/** First answers under an Idempotency-Key (contract 13, 21). */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

/**
 * The signer that an endpoint expects: the agent's current key; the current key, which the request itself retires; the
 * agent's recovery key; a key that is to become an agent's. `person`: no key, but a token.
 */
export const Signer = Schema.Literals(["agent", "retiring", "recovery", "candidate", "person"])
export type Signer = typeof Signer.Type

/** Status of an answer that shows a record. If such an answer is large, it is made again and not kept. */
export const REMADE_STATUS = 200

const entryFields = {
  /** Hash of the signing key, the method, the path and the Idempotency-Key. */
  key: Schema.String,
  /** Hash of the body. */
  body: Schema.String,
  signer: Signer,
  /** Sent with a token of the agent's vault (a source or a fill service), and not signed by the agent. */
  holder: Schema.optionalKey(Schema.Literal(true)),
  /** The body may hold what can be guessed, a password: its hash is kept nowhere, a keyed one is. */
  guessable: Schema.optionalKey(Schema.Literal(true))
}
export const IdempotencyEntry = Schema.Struct(entryFields)
export type IdempotencyEntry = typeof IdempotencyEntry.Type

export const IdempotencyBegin = Schema.Union([
  /**
   * `begun` names this beginning for its `finish`. `again`: the request was carried out. Its answer is made again, by
   * asking under the same command with `Ask.again`, or from what is kept in its place (`remake`).
   */
  Schema.Struct({
    state: Schema.Literal("new"),
    begun: Schema.optionalKey(Schema.String),
    /** Command id of what the request asks; if nothing is said, the edge makes it of key and body. */
    command: Schema.optionalKey(Schema.String),
    again: Schema.optionalKey(Schema.Literal(true)),
    remake: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({ state: Schema.Literal("in_flight") }),
  Schema.Struct({ state: Schema.Literal("conflict") }),
  Schema.Struct({ state: Schema.Literal("done"), status: Schema.Int, answer: Schema.String })
])
export type IdempotencyBegin = typeof IdempotencyBegin.Type

/**
 * `status: 0` keeps nothing and frees the key again: the answer was one that a retry may change (401, 429, 5xx), or far
 * too long. A long answer that shows a record is kept only as a note that it was given. `remade`: of one so long that
 * it does not come along, or that no copy may hold: `answer` is then what it is made anew of, if anything is.
 * `abandoned`: what began may still be under way, so the key is free for the same body alone until the request's
 * deadline.
 */
export const IdempotencyFinish = Schema.Struct({
  ...entryFields,
  status: Schema.Int,
  answer: Schema.String,
  remade: Schema.optionalKey(Schema.Literal(true)),
  begun: Schema.optionalKey(Schema.String),
  abandoned: Schema.optionalKey(Schema.Literal(true))
})
export type IdempotencyFinish = typeof IdempotencyFinish.Type

/** `held_ms`: how long the request may be under way, where its answer is held. */
export const IdempotencyBeginning = Schema.Struct({ ...entryFields, held_ms: Schema.optionalKey(Schema.Number) })
export type IdempotencyBeginning = typeof IdempotencyBeginning.Type

/** First answers of an agent's requests. */
export const idempotencyOperations = operationsOf("agent", {
  "idempotency.begin": op({ input: IdempotencyBeginning, output: IdempotencyBegin, askedBy: ["edge"] }),
  "idempotency.finish": op({ input: IdempotencyFinish, output: Nothing, askedBy: ["edge"] })
})

/** Of a person's. */
export const requestOperations = operationsOf("human", {
  "human.begin_request": op({ input: IdempotencyBeginning, output: IdempotencyBegin, askedBy: ["edge"] }),
  /** The same without beginning anything: `new` if there is nothing to be heard. */
  "human.look_request": op({ input: IdempotencyEntry, output: IdempotencyBegin, askedBy: ["edge"] }),
  "human.finish_request": op({ input: IdempotencyFinish, output: Nothing, askedBy: ["edge"] })
})
