/**
 * Reads a website's report of a request: the agent number, and the string that must have been signed (spec 4.7, 5.3).
 * The agent's own actor checks the rest.
 *
 * The checks are in the order of the specification's table.
 */
import type { VerifyReason } from "../../schemas/identity/reasons.ts"
import type { Verdict, VerifyScheme } from "../../schemas/identity/records.ts"
import { AGENT_NUMBER_PATTERN, announcedNumber, identityString } from "../../schemas/signing/identity.ts"
import { hostLine, type OwnNames, type Reading, type Report } from "./reading.ts"
import { webBotAuthClaim } from "./web-bot-auth.ts"

/** The most characters of the target, the method and a header's value. Longer ones match no signature. */
const TARGET_MAX_CHARS = 8192
const METHOD_MAX_CHARS = 32
const VALUE_MAX_CHARS = 8192

/** Header values by lower-case name. A value that is no single text, or a name that occurs twice, can match nothing. */
const headerValues = (headers: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> => {
  const values = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    // Some libraries give `null` or `undefined` for a missing header.
    if (value === null || value === undefined) continue
    const key = name.toLowerCase()
    const single = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value
    values.set(
      key,
      typeof single === "string" && single.length <= VALUE_MAX_CHARS && !values.has(key) ? single : UNUSABLE
    )
  }
  return values
}

const UNUSABLE = "\0"

const HUB_HEADERS = ["hub-id", "hub-timestamp", "hub-nonce", "hub-signature"] as const

export const readClaim = (given: Report, own: OwnNames): Reading => {
  const values = headerValues(given.headers)
  const overlong = given.path.length > TARGET_MAX_CHARS || given.method.length > METHOD_MAX_CHARS
  const report = overlong ? { ...given, method: "", path: "", host: "" } : given
  const present = HUB_HEADERS.filter((name) => values.has(name))
  if (present.length === HUB_HEADERS.length) return hubIdClaim(report, values)
  if (present.length > 0) {
    const absent = HUB_HEADERS.filter((name) => !values.has(name)).map((name) => NAMES[name])
    return {
      kind: "verdict",
      scheme: "hub-id",
      reason: "headers_incomplete",
      message: `Missing: ${absent.join(", ")}.`
    }
  }
  const webBotAuth = webBotAuthClaim(report, values, own)
  if (webBotAuth !== null) return webBotAuth
  const announced = announcedNumber(values.get("user-agent") ?? "")
  return announced === null
    ? { kind: "verdict", scheme: "hub-id", reason: "headers_missing", message: "The request names no agent." }
    : { kind: "claim", scheme: "hub-id", number: announced, proof: null }
}

const NAMES: Readonly<Record<(typeof HUB_HEADERS)[number], string>> = {
  "hub-id": "Hub-Id",
  "hub-timestamp": "Hub-Timestamp",
  "hub-nonce": "Hub-Nonce",
  "hub-signature": "Hub-Signature"
}

const hubIdClaim = (report: Report, values: ReadonlyMap<string, string>): Reading => {
  const [number = "", timestamp = "", nonce = "", signature = ""] = HUB_HEADERS.map((name) => values.get(name))
  if (!AGENT_NUMBER_PATTERN.test(number)) {
    return {
      kind: "verdict",
      scheme: "hub-id",
      reason: "id_malformed",
      message: "Hub-Id must be HX- and at least 6 digits, zero-padded to 6."
    }
  }
  const host = hostLine(report.host)
  const text =
    host === null ? null : identityString({ method: report.method, host, path: report.path, timestamp, nonce })
  return {
    kind: "claim",
    scheme: "hub-id",
    number,
    proof: { timestamp, nonce, signature, string_to_sign: text, host: host ?? "" }
  }
}

const NOBODY = {
  id: null,
  handle: null,
  name: null,
  trust: null,
  reputation: null,
  status: null,
  moderation: null,
  profile_url: null,
  id_url: null
} as const

export const verdictOnNobody = (scheme: VerifyScheme, reason: VerifyReason, message: string): Verdict => ({
  valid: false,
  reason,
  scheme,
  ...NOBODY,
  message
})

export const unknownNumber = (scheme: VerifyScheme, announced: boolean): Verdict =>
  announced
    ? {
        ...verdictOnNobody(scheme, "announced_only", "The User-Agent announces a number that no agent has."),
        announced: true
      }
    : verdictOnNobody(scheme, "id_unknown", "No agent has this number, or it is too new: try again in a minute.")
