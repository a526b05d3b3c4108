/**
 * A refused request in the memory of the edge that answered it. An operator can ask all edges for it by the request's
 * id (`hub explain`). It contains the service's own words, ids and hashes. From the client it has only the method, and
 * the beginning of a path that no endpoint has.
 */
import { Schema } from "effect"

/**
 * Stages that can refuse a request. `gate`: the actor's check of signature, status and limits. `query`: a query of a
 * read model. `bus`: no answer came.
 */
const REFUSED_BY = ["edge", "gate", "actor", "query", "bus"] as const

export const RefusedRequest = Schema.Struct({
  id: Schema.String,
  /** Unix ms, of the answer. */
  at: Schema.Number,
  ms: Schema.Number,
  method: Schema.String,
  /** The template of the endpoint's path, or the beginning of a path that no endpoint has. */
  route: Schema.String,
  status: Schema.Int,
  code: Schema.String,
  by: Schema.Literals(REFUSED_BY),
  /** The operation or view that was asked; `null` if the edge refused before it asked anything. */
  asked: Schema.NullOr(Schema.String),
  field: Schema.NullOr(Schema.String),
  bucket: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  /** Hub id of the key whose signature was valid. */
  key: Schema.NullOr(Schema.String),
  /** Hub id of the agent. It equals `key` unless the agent has replaced its first key. */
  agent: Schema.NullOr(Schema.String),
  human: Schema.NullOr(Schema.String),
  /** Keyed hash of the client's address, as in the request log. */
  client: Schema.String
})
export type RefusedRequest = typeof RefusedRequest.Type

/** The most characters of a request id. Edges make the ids, and no longer ones. */
export const REQUEST_ID_MAX_CHARS = 64

/** The answer of one edge. */
export const RefusedAnswer = Schema.Struct({
  host: Schema.String,
  pid: Schema.Int,
  /** The time since which it remembers refusals, in Unix ms. */
  since: Schema.Number,
  found: Schema.NullOr(RefusedRequest),
  /** The number of refusals that were too many to be remembered, by status. */
  passed_over: Schema.Record(Schema.String, Schema.Int)
})
export type RefusedAnswer = typeof RefusedAnswer.Type
