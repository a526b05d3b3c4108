/**
 * Explains why a signature does not verify. For each common mistake it builds the text that an agent would have signed,
 * and verifies the signature against that text.
 *
 * Invariants
 *  - It runs only for a request that is refused anyway, and makes at most `triesMax` verifications. The text of a
 *    mistake is built when its turn comes, not before.
 *  - No mistake needs more than `REWRITE_MAX_BYTES` of the body to be read or written again.
 *  - A hint is given only if the signature verifies for the mistake that it names. Otherwise the answer says which
 *    lines to compare, because a signature alone does not show what was signed.
 */
import { createHash, type KeyObject } from "node:crypto"
import { API_PREFIX } from "../../schemas/api.ts"
import {
  EMPTY_BODY_SHA256,
  type RequestToSign,
  requestStringV1,
  requestStringV2
} from "../../schemas/signing/request.ts"
import { isRecord, parseJson } from "../http/json.ts"
import { signatureHolds } from "../../schemas/signing/verify.ts"
import type { SignedRequest, VerifierConfig } from "./signed.ts"

/** Longer bodies are not rewritten, to bound the cost of this help. */
const REWRITE_MAX_BYTES = 16_384
/** The longest name with a port. A longer text is no host, and is not repeated in the answer. */
const HOST_MAX_CHARS = 261

const UNEXPLAINED =
  "You signed another text than expected_string_to_sign. Compare the two line by line: HUB-V2, the method in upper case, the host, " +
  "the path with its query, the timestamp, the nonce, the lowercase hex sha256 of the raw body; joined by line feeds, with none " +
  "at the end. If the lines are the same, the key in X-Hub-Key is not the one that signed."

export interface Case {
  readonly key: KeyObject
  readonly signature: Uint8Array
  readonly signed: Omit<RequestToSign, "host">
  readonly request: SignedRequest
  readonly config: VerifierConfig
}

interface Mistake {
  readonly hint: string
  readonly text: string
}

/** `triesMax`: the most verifications. */
export const diagnose = (failed: Case, triesMax: number): string => {
  const tried = new Set<string>()
  for (const { hint, text } of mistakesOf(failed)) {
    if (tried.size >= triesMax) break
    if (tried.has(text)) continue
    tried.add(text)
    if (signatureHolds(failed.key, text, failed.signature)) return hint
  }
  return UNEXPLAINED
}

function* mistakesOf(failed: Case): Generator<Mistake> {
  const { signed, config, request } = failed
  const full: RequestToSign = { ...signed, host: config.hosts[0] ?? "" }
  const text = requestStringV2(full)
  yield {
    hint: "The signature is of version 1 (HUB-V1), which has ended. Sign version 2: HUB-V2, with the host line.",
    text: requestStringV1(signed)
  }
  yield {
    hint: "The signed text begins with HUB-V1; with the host line it is version 2, and its first line must be HUB-V2.",
    text: text.replace("HUB-V2", "HUB-V1")
  }
  yield {
    hint: "The timestamp was signed in milliseconds; sign unix seconds, the same as in X-Hub-Timestamp.",
    text: requestStringV2({ ...full, timestamp: `${full.timestamp}000` })
  }
  yield { hint: "The signed text ends in a line feed; there must be none after the last line.", text: `${text}\n` }
  yield {
    hint: "The host line is missing from the signed text.",
    text: requestStringV1(signed).replace("HUB-V1", "HUB-V2")
  }
  yield* hostMistakes(full, request.hostHeader)
  yield* methodMistakes(full)
  yield* pathMistakes(full, config)
  yield* bodyMistakes(full, request.body)
}

function* hostMistakes(full: RequestToSign, hostHeader: string | undefined): Generator<Mistake> {
  const { host } = full
  const name = host.replace(/:\d+$/, "")
  const port = host.slice(name.length)
  const loopback = name === "localhost" ? "127.0.0.1" : "localhost"
  const variants = [
    hostHeader ?? "",
    hostHeader?.replace(/:\d+$/, "") ?? "",
    name,
    `${name}:443`,
    `${name}:80`,
    `${loopback}${port}`,
    host.toUpperCase(),
    `https://${host}`,
    `http://${host}`,
    ""
  ]
  for (const variant of variants) {
    if (variant === host || variant.length > HOST_MAX_CHARS) continue
    yield {
      hint:
        `The host line was signed as ${variant === "" ? "an empty line" : variant}; ` +
        `it must be ${host}, this service's own name, whatever address you connect to.`,
      text: requestStringV2({ ...full, host: variant })
    }
  }
}

function* methodMistakes(full: RequestToSign): Generator<Mistake> {
  const method = full.method.toUpperCase()
  const signedAs = (wrong: string): string => requestStringV2(full).replace(`\n${method}\n`, `\n${wrong}\n`)
  yield { hint: "The method must be signed in upper case.", text: signedAs(method.toLowerCase()) }
  for (const other of ["GET", "POST"]) {
    if (other !== method)
      yield { hint: `The request was sent as ${method}, but ${other} was signed.`, text: signedAs(other) }
  }
}

function* pathMistakes(full: RequestToSign, config: VerifierConfig): Generator<Mistake> {
  const [path = ""] = full.path.split("?")
  const variants: Array<[string, string]> = [
    ["The path must be signed with its query, exactly as sent.", path],
    [
      `The path must start at ${API_PREFIX}.`,
      full.path.startsWith(API_PREFIX) ? full.path.slice(API_PREFIX.length) : full.path
    ],
    ["Only the path and query are signed, not the whole address.", `http://${full.host}${full.path}`],
    ["Only the path and query are signed, not the whole address.", `https://${full.host}${full.path}`],
    ["The path must be signed as it is sent, percent-encoding unchanged.", decoded(full.path)]
  ]
  const [, query] = splitTarget(full.path)
  if (query !== "") {
    variants.push(
      [
        "The query was signed with + where it was sent with %20: sign it exactly as it is sent.",
        full.path.replaceAll("%20", "+")
      ],
      [
        "The query was signed with %20 where it was sent with +: sign it exactly as it is sent.",
        full.path.replaceAll("+", "%20")
      ],
      ...reordered(full.path).map((path): [string, string] => [
        "The query's parameters were signed in another order than they were sent in: sign them exactly as sent.",
        path
      ])
    )
  }
  if (config.basePath !== "")
    variants.push([
      `The path must start at ${API_PREFIX}, without the installation's prefix.`,
      config.basePath + full.path
    ])
  for (const [hint, variant] of variants) {
    if (variant !== full.path) yield { hint, text: requestStringV2({ ...full, path: variant }) }
  }
}

const splitTarget = (target: string): readonly [string, string] => {
  const at = target.indexOf("?")
  return at === -1 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)]
}

/**
 * Up to this many parameters, all orders are tried. With more, only the orders that libraries produce: sorted, and
 * reversed.
 */
const ALL_ORDERS_MAX = 3
const PARAMETERS_MAX = 64

const reordered = (target: string): ReadonlyArray<string> => {
  const [path, query] = splitTarget(target)
  const parts = query.split("&")
  if (parts.length < 2 || parts.length > PARAMETERS_MAX) return []
  const orders = parts.length <= ALL_ORDERS_MAX ? ordersOf(parts) : [parts.toSorted(), parts.toReversed()]
  return orders.map((order) => `${path}?${order.join("&")}`)
}

const ordersOf = (parts: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  parts.length === 0
    ? [[]]
    : parts.flatMap((first, index) => ordersOf(parts.toSpliced(index, 1)).map((rest) => [first, ...rest]))

const RAW_BYTES =
  "The body's hash is not that of the bytes that were sent (expected_body_sha256). Hash the body's raw bytes as they are sent:"

const UPPER_CASE = "The body's hash was signed in upper case; it must be lower case hex."

function* bodyMistakes(full: RequestToSign, body: Uint8Array): Generator<Mistake> {
  const withHash = (bodySha256: string): string => requestStringV2({ ...full, bodySha256 })
  if (body.length === 0) {
    yield {
      hint: "Without a body, the last line is the sha256 of the empty string, not an empty line.",
      text: withHash("")
    }
    yield { hint: UPPER_CASE, text: withHash(EMPTY_BODY_SHA256.toUpperCase()) }
    for (const text of ["{}", "null", '""'])
      yield {
        hint: `The request came without a body, but the hash of ${text} was signed.`,
        text: withHash(sha256(text))
      }
    return
  }
  yield {
    hint: "The body's hash is missing: the sha256 of the empty string was signed.",
    text: withHash(EMPTY_BODY_SHA256)
  }
  yield { hint: UPPER_CASE, text: withHash(full.bodySha256.toUpperCase()) }
  yield {
    hint: "The body's hash must be hex, not base64.",
    text: withHash(Buffer.from(full.bodySha256, "hex").toString("base64"))
  }
  if (body.length > REWRITE_MAX_BYTES) return
  const text = Buffer.from(body).toString("utf8")
  for (const other of [text.trim(), `${text.trim()}\n`]) {
    if (other !== text) yield { hint: `${RAW_BYTES} other white space was hashed.`, text: withHash(sha256(other)) }
  }
  for (const other of rewritings(body)) {
    if (other !== text)
      yield {
        hint: `${RAW_BYTES} the JSON was written in another way when it was hashed.`,
        text: withHash(sha256(other))
      }
  }
  yield { hint: "The last line is the body's hash, not the body.", text: withHash(text) }
}

/** Returns the body's JSON in the forms in which common libraries write it. `parseJson` bounds its depth. */
const rewritings = (body: Uint8Array): ReadonlyArray<string> => {
  const parsed = parseJson(body)
  if (!parsed.ok) return []
  const forms = [JSON.stringify(parsed.value), spaced(parsed.value)]
  return [...forms, ...forms.map(asciiOnly), JSON.stringify(parsed.value, null, 2)]
}

const spaced = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`
  if (isRecord(value))
    return `{${Object.entries(value)
      .map(([name, part]) => `${JSON.stringify(name)}: ${spaced(part)}`)
      .join(", ")}}`
  return JSON.stringify(value)
}

const asciiOnly = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
