/**
 * Web Bot Auth: a claim to be an agent, made with HTTP message signatures (RFC 9421). `Signature-Agent` names the
 * agent's key directory at this service, and with it the agent's number; the signature covers at least the website's
 * host and that header, with the tag "web-bot-auth".
 *
 * The rules of spec 4.7 apply here too: `created` is the timestamp, with the same window, and a proof is valid once. A
 * signature without a `nonce` is remembered by itself.
 */
import { createHash } from "node:crypto"
import type { IdentityProof } from "../../schemas/identity/operations.ts"
import type { VerifyReason } from "../../schemas/identity/reasons.ts"
import { AGENT_NUMBER_PATTERN } from "../../schemas/signing/identity.ts"
import { withoutTrailing } from "../../schemas/text.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { parseWebAddress } from "../../schemas/web-address.ts"
import {
  covers,
  integerParameter,
  readSignatures,
  signatureAgentsOf,
  signatureBase,
  type SignatureInput,
  textParameter
} from "./http-signature.ts"
import { hostLine, type OwnNames, type Reading, type Report } from "./reading.ts"

const TAG = "web-bot-auth"
const ALGORITHM = "ed25519"
/**
 * The most signatures of one request that are examined. There is usually one with the tag `web-bot-auth`, or two while
 * an agent changes from one form to the other.
 */
const SIGNATURES_MAX = 4
const HEADERS = ["signature", "signature-input", "signature-agent"] as const

/**
 * The agent that the request claims to come from, or the reason why the claim fails. `null` if the request has no
 * Signature-Agent header and no signature with the tag.
 */
export const webBotAuthClaim = (report: Report, values: ReadonlyMap<string, string>, own: OwnNames): Reading | null => {
  const signatures = readSignatures(values.get("signature-input") ?? "", values.get("signature") ?? "")
  const tagged = (signatures ?? []).filter((one) => textParameter(one, "tag") === TAG)
  const agentHeader = values.get("signature-agent")
  if (agentHeader === undefined && tagged.length === 0) return null
  const absent = HEADERS.filter((name) => !values.has(name))
  if (absent.length > 0) return failed("headers_incomplete", `Missing: ${absent.join(", ")}.`)
  if (tagged.length === 0) return failed("headers_incomplete", `No readable signature with the tag "${TAG}".`)
  const agentOf = signatureAgentsOf(agentHeader ?? "")
  for (const input of tagged.slice(0, SIGNATURES_MAX)) {
    const agent = agentOf(input.label)
    const number = agent === null ? null : numberIn(agent.address, own)
    if (agent !== null && number !== null)
      return { kind: "claim", scheme: TAG, number, proof: proofOf(report, values, input, agent.key, number) }
  }
  return failed("id_malformed", "Signature-Agent must name an agent's key directory at this service.")
}

/** True if the signature covers the member that named the agent, or the whole header. */
const coversAgent = ({ covered }: SignatureInput, key: string | null): boolean =>
  covered[0].some(
    ([name, parameters]) =>
      name === "signature-agent" && (parameters.get("key") ?? null) === (parameters.has("key") ? key : null)
  )

const failed = (reason: VerifyReason, message: string): Reading => ({ kind: "verdict", scheme: TAG, reason, message })

const DIRECTORY_PATH = /^\/id\/(HX-[0-9]+)\/http-message-signatures-directory$/

const numberIn = (address: string, own: OwnNames): string | null => {
  const url = parseWebAddress(address)
  if (url === null) return null
  const base = new URL(own.baseUrl)
  if (hostLine(url.host) === null || ![base.host, ...own.hosts].includes(hostLine(url.host) ?? "")) return null
  const prefix = `${withoutTrailing(base.pathname, "/")}${API_PREFIX}`
  if (!url.pathname.startsWith(prefix) || url.search !== "" || url.username !== "") return null
  const number = DIRECTORY_PATH.exec(url.pathname.slice(prefix.length))?.[1]
  return number !== undefined && AGENT_NUMBER_PATTERN.test(number) ? number : null
}

const proofOf = (
  report: Report,
  values: ReadonlyMap<string, string>,
  input: SignatureInput,
  agentKey: string | null,
  number: string
): IdentityProof => {
  const host = hostLine(report.host)
  const created = integerParameter(input, "created")
  const expires = integerParameter(input, "expires")
  const algorithm = textParameter(input, "alg")
  const sound =
    host !== null &&
    (covers(input, "@authority") || covers(input, "@target-uri")) &&
    coversAgent(input, agentKey) &&
    (algorithm === null || algorithm === ALGORITHM)
  const message =
    host === null
      ? null
      : { method: report.method, authority: host, scheme: "https", target: report.path, fields: values }
  return {
    timestamp: created === null ? "" : String(created),
    // The parameter `nonce` may be any text, so its hash is remembered.
    nonce: createHash("sha256")
      .update(`${number}\n${textParameter(input, "nonce") ?? input.signature}`)
      .digest("base64url"),
    signature: input.signature,
    string_to_sign: sound && message !== null ? signatureBase(input.covered, message) : null,
    keyid: textParameter(input, "keyid") ?? "",
    ...(expires === null ? {} : { expires }),
    host: host ?? ""
  }
}
