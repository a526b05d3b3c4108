/**
 * A refused request as the edge that answered it remembers it, and how an operator asks all edges for one (`hub explain`).
 * It holds words of the service's own, ids and hashes: nothing that a client sent but its method, and the beginning of a path that no endpoint has.
 */
import { Schema } from "effect"

/** Stages that can refuse a request: `gate` judges the asker, `bus` got no answer, `query` is one of a read model. */
const REFUSED_BY = ["edge", "gate", "actor", "query", "bus"] as const

export const RefusedRequest = Schema.Struct({
  id: Schema.String,
  /** Unix ms, of the answer. */
  at: Schema.Number,
  ms: Schema.Number,
  method: Schema.String,
  /** Template of the endpoint's path; of a path that no endpoint has, its beginning. */
  route: Schema.String,
  status: Schema.Int,
  code: Schema.String,
  by: Schema.Literals(REFUSED_BY),
  /** Operation or view that was asked for; `null` if the edge refused. */
  asked: Schema.NullOr(Schema.String),
  field: Schema.NullOr(Schema.String),
  bucket: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  /** Hub id of the key whose signature was valid. */
  key: Schema.NullOr(Schema.String),
  /** Hub id of the agent: the key's own until it was rotated. */
  agent: Schema.NullOr(Schema.String),
  human: Schema.NullOr(Schema.String),
  /** Keyed hash of the client's address, as in the request log. */
  client: Schema.String
})
export type RefusedRequest = typeof RefusedRequest.Type

/** An id of a request, as edges give them. */
export const REQUEST_ID_MAX_CHARS = 64

/** The answer of one edge. */
export const RefusedAnswer = Schema.Struct({
  host: Schema.String,
  pid: Schema.Int,
  /** Unix ms: it remembers nothing from before. */
  since: Schema.Number,
  found: Schema.NullOr(RefusedRequest),
  /** The number of refusals by status that came too fast to be remembered. */
  passed_over: Schema.Record(Schema.String, Schema.Int)
})
export type RefusedAnswer = typeof RefusedAnswer.Type
