/**
 * Answers to OPTIONS (spec 4.1.8): the methods and headers that a path accepts, for browsers on any site and without
 * authentication.
 */
import type { Call } from "./call.ts"
import { empty, type Response } from "./respond.ts"

const ALLOWED_HEADERS = [
  "X-Hub-Key",
  "X-Hub-Timestamp",
  "X-Hub-Nonce",
  "X-Hub-Signature",
  "X-Hub-Vault",
  "Authorization",
  "Content-Type",
  "Accept",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "If-Range",
  "Range",
  "X-Request-Id"
].join(", ")

const MAX_AGE_SECONDS = 86_400

export const preflight = (call: Call, allow: string): Response => {
  const asked = call.header("access-control-request-headers") ?? ""
  // Headers that later versions of the service add are allowed before this list contains them.
  const own = asked
    .split(",")
    .map((name) => name.trim())
    .filter((name) => /^x-hub-[a-z0-9-]{1,40}$/i.test(name))
  call.headers["allow"] = allow
  call.headers["access-control-allow-methods"] = allow
  call.headers["access-control-allow-headers"] =
    own.length === 0 ? ALLOWED_HEADERS : `${ALLOWED_HEADERS}, ${own.join(", ")}`
  call.headers["access-control-max-age"] = String(MAX_AGE_SECONDS)
  call.headers["vary"] = "Access-Control-Request-Headers"
  return empty(204)
}
