/**
 * Chooses the form of an answer by the `Accept` header (RFC 9110, 12.5.1): by q-values, and the more specific range
 * first.
 */
import Negotiator from "negotiator"
import type { Call } from "./call.ts"

/** Characters of the header that are read. Reading more would cost more than the answer. */
const LOOKED_AT_CHARS = 1000

/** Cached for each request, because several parts need it and a long header is costly. */
const found = new WeakMap<object, ReadonlyMap<string, boolean>>()

const MARKDOWN = ["text/markdown", "text/markdown;charset=utf-8"]

/**
 * True if the client prefers markdown to `other`. With equal preference, the first of the two in the header counts.
 * False if it names neither, or sends no header.
 */
export const prefersMarkdown = (call: Call, other: "application/json" | "text/html"): boolean => {
  const known = found.get(call)?.get(other)
  if (known !== undefined) return known
  const accept = call.header("accept")?.slice(0, LOOKED_AT_CHARS)
  const chosen =
    accept === undefined ? undefined : new Negotiator({ headers: { accept } }).mediaType([other, ...MARKDOWN])
  const prefers = chosen !== undefined && chosen !== other
  found.set(call, new Map(found.get(call)).set(other, prefers))
  return prefers
}

export const takesGzip = (call: Call): boolean => {
  const asked = call.header("accept-encoding")?.slice(0, LOOKED_AT_CHARS)
  return asked !== undefined && new Negotiator({ headers: { "accept-encoding": asked } }).encodings(["gzip"]).length > 0
}
