/** Requests that are wrong in every way there is, made from the interface's description. */
import { type Identity, signedHeaders } from "../support/identity.ts"
import type { SeededRandom } from "../support/seed.ts"
import { type Operation, OPERATIONS, sampleOf, type Shape } from "./interface.ts"

const TEXTS = [
  "",
  " ",
  "a",
  "null",
  "0",
  "-1",
  "1e999",
  "true",
  "../../etc/passwd",
  "%00",
  "\u0000",
  "\u202e\u0301",
  "'; drop table agents; --",
  "${7*7}",
  "<script>alert(1)</script>",
  "__proto__",
  "constructor",
  "\ud800",
  "🤖".repeat(50),
  "x".repeat(3000),
  "HX-000001",
  "hx000000000000000000000000",
  "a,b",
  "[]",
  "{}",
  "\\",
  "\r\nX-Injected: 1"
]

const NUMBERS = [0, -0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER, 2 ** 53, -(2 ** 63)]

const QUERY_NAMES = ["page", "per_page", "sort", "q", "limit", "unknown", "", "a[b]", "__proto__"]

const METHODS = [
  "GET",
  "GET",
  "GET",
  "POST",
  "POST",
  "PATCH",
  "PATCH",
  "DELETE",
  "PUT",
  "HEAD",
  "OPTIONS",
  "PROPFIND",
  "QUERY"
]

const HEADERS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "content-type": [
    "application/json",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "",
    ";;;",
    "application/json; charset=utf-16"
  ],
  accept: ["*/*", "application/problem+json", "text/html", "", "application/json;q=0"],
  "accept-encoding": ["gzip", "identity;q=0", "*"],
  authorization: ["Bearer hxh_nothing", "Basic AAAA", "Bearer", ""],
  "idempotency-key": ["", "key", "k".repeat(255), "k".repeat(256), "\u00e9\u00e9"],
  "if-none-match": ["*", '"x"', "W/", ""],
  range: ["bytes=0-", "bytes=5-1", "lines=1-2"],
  "x-hub-key": ["", "AAAA", "A".repeat(43), `${"A".repeat(43)}=`, "!".repeat(44)],
  "x-hub-timestamp": ["", "0", "abc", "99999999999", "1700000000", "-1", "1e9"],
  "x-hub-nonce": ["", "short", "n".repeat(129), "good-nonce-1", "bad nonce!"],
  "x-hub-signature": ["", "AAAA", "A".repeat(86), `${"A".repeat(86)}==`],
  "x-forwarded-for": ["127.0.0.1", "999.1.1.1", ",,,", "::1", "a".repeat(200)],
  "x-request-id": ["12345678", "x", "bad id", "i".repeat(65)],
  expect: ["100-continue"],
  cookie: ["a=b", "=", ";;;"],
  "x-anything": ["y".repeat(2000)]
}

const anyValue = (random: SeededRandom, depth = 0): unknown => {
  switch (random.below(depth > 3 ? 4 : 7)) {
    case 0:
      return random.pick(TEXTS)
    case 1:
      return random.pick(NUMBERS)
    case 2:
      return null
    case 3:
      return random.chance(0.5)
    case 4:
      return Array.from({ length: random.below(4) }, () => anyValue(random, depth + 1))
    case 5:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [
          random.pick([...TEXTS, "name", "handle", "url"]),
          anyValue(random, depth + 1)
        ])
      )
    default:
      return random.pick([
        "d".repeat(2001),
        Array.from({ length: 60 }, () => ({})),
        { label: "a", url: "https://a.example" }
      ])
  }
}

/** A body that is near to what is wanted, with some of its fields replaced, left out or added. */
const nearlyRight = (random: SeededRandom, shape: Shape): unknown => {
  const sample = { ...(sampleOf(shape) as Record<string, unknown>) }
  // Some stay right, so that what is wrong elsewhere in the request meets more than the body's own check.
  if (random.chance(0.15)) return sample
  for (const name of Object.keys(shape.properties ?? {})) {
    if (random.chance(0.4)) sample[name] = anyValue(random)
    else if (random.chance(0.15)) delete sample[name]
  }
  return sample
}

const WRONG_TEXTS = [
  "",
  "{",
  "}",
  "[",
  "nul",
  '{"a":',
  '{"a":1,}',
  "{'a':1}",
  "\ufeff{}",
  '{"a":1}{"b":2}',
  "[".repeat(500),
  '{"__proto__":{"admin":true}}',
  '{"name":"a","name":5}',
  '"\\ud800"',
  "1",
  "\u0000"
]

const bodyOf = (random: SeededRandom, operation: Operation): Buffer => {
  const lot = random.next()
  if (operation.body === null && lot < 0.7) return Buffer.alloc(0)
  if (lot < 0.6 && operation.body !== null) return Buffer.from(JSON.stringify(nearlyRight(random, operation.body)))
  if (lot < 0.75) return Buffer.from(JSON.stringify(anyValue(random)) ?? "")
  if (lot < 0.9) return Buffer.from(random.pick(WRONG_TEXTS))
  return random.bytes(random.below(300))
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

const parameter = (random: SeededRandom): string => {
  const name = encoded(random.pick(QUERY_NAMES))
  const value = random.chance(0.8) ? encoded(random.pick(TEXTS)) : random.pick(["%", "%zz", "%ff", "a=b=c", "+"])
  return `${name}=${value}`
}

const pathOf = (random: SeededRandom, operation: Operation): string => {
  const path = operation.path.replaceAll(/\{\w+\}/g, () =>
    random.chance(0.3) ? "0".repeat(32) : encoded(random.pick(TEXTS)) || "x"
  )
  const strange = random.chance(0.05) ? random.pick(["/", "//", "/../x", "%2f", "%zz", "/%00", ";a=b"]) : ""
  const query = random.chance(0.5)
    ? `?${Array.from({ length: random.between(1, 4) }, () => parameter(random)).join("&")}`
    : ""
  return path + strange + query
}

/** Well-formed as HTTP, wrong in what it says; every fourth truly signed, so that it gets past the signature. */
export function wrongRequest(random: SeededRandom, edge: string, signer: Identity): Buffer {
  const operation = random.pick(OPERATIONS)
  const method = random.chance(0.8) ? operation.method : random.pick(METHODS)
  const path = pathOf(random, operation)
  const body =
    method === "GET" || method === "HEAD"
      ? random.chance(0.9)
        ? Buffer.alloc(0)
        : bodyOf(random, operation)
      : bodyOf(random, operation)
  const headers: Record<string, string> = { host: new URL(edge).host }
  for (const [name, values] of Object.entries(HEADERS)) if (random.chance(0.12)) headers[name] = random.pick(values)
  if (random.chance(0.25))
    Object.assign(headers, signedHeaders(signer, { method, path, body, host: new URL(edge).host }))
  if (body.length > 0 || method === "POST") headers["content-length"] = String(body.length)
  else delete headers["expect"]
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`, "latin1"), body])
}

/** A few bytes changed, left out, doubled or put in, anywhere. */
export function mutated(random: SeededRandom, bytes: Buffer): Buffer {
  let changed = bytes
  for (let times = random.between(1, 5); times > 0; times--) {
    const at = random.below(changed.length + 1)
    const length = random.between(1, 8)
    const before = changed.subarray(0, at)
    switch (random.below(4)) {
      case 0:
        changed = Buffer.concat([before, random.bytes(length), changed.subarray(Math.min(changed.length, at + length))])
        break
      case 1:
        changed = Buffer.concat([before, changed.subarray(Math.min(changed.length, at + length))])
        break
      case 2:
        changed = Buffer.concat([before, changed.subarray(at, at + length), changed.subarray(at)])
        break
      default:
        changed = Buffer.concat([
          before,
          random.chance(0.5)
            ? random.bytes(length)
            : Buffer.from(
                random.pick([
                  "\r\n",
                  "\r\n\r\n",
                  "Content-Length: 5\r\n",
                  "Transfer-Encoding: chunked\r\n",
                  "\u0000",
                  " "
                ])
              ),
          changed.subarray(at)
        ])
    }
  }
  return changed
}
