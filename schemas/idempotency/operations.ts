/** First answers under an Idempotency-Key (contract 13, 21). */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

/**
 * The expected signer: the agent's current key, the current key that the request itself retires, the agent's recovery
 * key, or a key that is to become an agent's. `person` means a token and no key.
 */
export const Signer = Schema.Literals(["agent", "retiring", "recovery", "candidate", "person"])
export type Signer = typeof Signer.Type

/**
 * The status of an answer that shows a record. If such an answer is large, it is not stored, but made again from the
 * record.
 */
export const REMADE_STATUS = 200

const entryFields = {
  /** Hash of the signing key, the method, the path and the Idempotency-Key. */
  key: Schema.String,
  /** The hash of the body. */
  body: Schema.String,
  signer: Signer,
  /** Sent with a token of the agent's vault (a source or a fill service), and not signed by the agent. */
  holder: Schema.optionalKey(Schema.Literal(true)),
  /**
   * True if the body may contain something that can be guessed, such as a password. Only a keyed hash is stored then.
   */
  guessable: Schema.optionalKey(Schema.Literal(true))
}
export const IdempotencyEntry = Schema.Struct(entryFields)
export type IdempotencyEntry = typeof IdempotencyEntry.Type

export const IdempotencyBegin = Schema.Union([
  /**
   * `begun` has a token for the corresponding `finish`. `again` means that the request was carried out: its answer is
   * made again, by asking under the same command with `Ask.again`, or from the stored `remake`.
   */
  Schema.Struct({
    state: Schema.Literal("new"),
    begun: Schema.optionalKey(Schema.String),
    /** The id of the request's command. If it is absent, the edge makes it from key and body. */
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
 * The end of a request.
 *
 * - `status: 0` stores nothing and frees the key: the answer was one that a retry may change (401, 429, 5xx), or far
 *   too long.
 * - A long answer that shows a record is stored only as a note that it was given.
 * - `remade` marks an answer that is too long to be sent here, or that must not be copied. `answer` then has the data
 *   to make it again, if there is any.
 * - `abandoned` means that the request may still be under way. Until its deadline the key is free only for the same
 *   body.
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

export const IdempotencyBeginning = Schema.Struct({
  ...entryFields,
  /** The longest time that the request may be under way, if its answer is held. */
  held_ms: Schema.optionalKey(Schema.Number),
  /** True if a suspended agent may not begin the request. Absent from edges of older releases. */
  closed: Schema.optionalKey(Schema.Boolean)
})
export type IdempotencyBeginning = typeof IdempotencyBeginning.Type

/** First answers of an agent's requests. */
export const idempotencyOperations = operationsOf("agent", {
  "idempotency.begin": op({ input: IdempotencyBeginning, output: IdempotencyBegin, askedBy: ["edge"] }),
  "idempotency.finish": op({ input: IdempotencyFinish, output: Nothing, askedBy: ["edge"] })
})

/** The same operations for a person's requests. */
export const requestOperations = operationsOf("human", {
  "human.begin_request": op({ input: IdempotencyBeginning, output: IdempotencyBegin, askedBy: ["edge"] }),
  /**
   * Looks up a request without beginning it. Answers `new` if the request is not known, or its answer was not stored.
   */
  "human.look_request": op({ input: IdempotencyEntry, output: IdempotencyBegin, askedBy: ["edge"] }),
  "human.finish_request": op({ input: IdempotencyFinish, output: Nothing, askedBy: ["edge"] })
})
