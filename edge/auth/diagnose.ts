/**
 * Why a signature does not verify: the mistakes that agents make, each tried as the request that would have been
 * signed by it. A handful of verifications, and only for a request that is refused anyway, within the `key` bucket.
 */
import { createHash, type KeyObject } from "node:crypto"
import { API_PREFIX } from "../../schemas/api.ts"
import { EMPTY_BODY_SHA256, type RequestToSign, requestStringV1, requestStringV2 } from "../../schemas/signing/request.ts"
import { signatureHolds } from "./keys.ts"
import type { SignedRequest, VerifierConfig } from "./verify.ts"

const UNEXPLAINED =
  "Sign these lines joined by a line feed, with none at the end: HUB-V2, the method in upper case, expected_host, " +
  "expected_path with its query exactly as sent, the timestamp, the nonce, and the lowercase hex sha256 of the raw body."

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

/** `triesMax`: verifications that this may cost. */
export const diagnose = (failed: Case, triesMax: number): string => {
  if (triesMax === 0) return UNEXPLAINED
  for (const mistake of mistakesOf(failed).slice(0, triesMax)) {
    if (signatureHolds(failed.key, mistake.text, failed.signature)) return mistake.hint
  }
  return UNEXPLAINED
}

const mistakesOf = (failed: Case): ReadonlyArray<Mistake> => {
  const { signed, config } = failed
  const host = config.hosts[0] ?? ""
  const full: RequestToSign = { ...signed, host }
  const text = requestStringV2(full)
  return [
    { hint: "The signature is of version 1 (HUB-V1), which has ended. Sign version 2: HUB-V2, with the host line.", text: requestStringV1(signed) },
    { hint: "The signed text ends in a line feed; there must be none after the last line.", text: `${text}\n` },
    { hint: "The host line is missing from the signed text.", text: requestStringV1(signed).replace("HUB-V1", "HUB-V2") },
    { hint: "The method must be signed in upper case.", text: text.replace(`\n${signed.method.toUpperCase()}\n`, `\n${signed.method.toLowerCase()}\n`) },
    ...pathMistakes(full, config),
    ...bodyMistakes(full, failed.request.body),
    ...hostMistakes(full, failed.request.hostHeader)
  ]
}

const pathMistakes = (full: RequestToSign, config: VerifierConfig): ReadonlyArray<Mistake> => {
  const [path = ""] = full.path.split("?")
  const variants: Array<[string, string]> = [
    ["The path must be signed with its query, exactly as sent.", path],
    [`The path must start at ${API_PREFIX}.`, full.path.startsWith(API_PREFIX) ? full.path.slice(API_PREFIX.length) : full.path],
    ["Only the path and query are signed, not the whole address.", `http://${full.host}${full.path}`],
    ["Only the path and query are signed, not the whole address.", `https://${full.host}${full.path}`],
    ["The path must be signed as it is sent, percent-encoding unchanged.", decoded(full.path)]
  ]
  if (config.basePath !== "") variants.push([`The path must start at ${API_PREFIX}, without the installation's prefix.`, config.basePath + full.path])
  return variants
    .filter(([, variant]) => variant !== full.path)
    .map(([hint, variant]) => ({ hint, text: requestStringV2({ ...full, path: variant }) }))
}

const bodyMistakes = (full: RequestToSign, body: Uint8Array): ReadonlyArray<Mistake> => {
  if (body.length === 0) {
    return [
      { hint: "Without a body, the last line is the sha256 of the empty string, not an empty line.", text: requestStringV2({ ...full, bodySha256: "" }) },
      { hint: "The request came without a body, but the hash of {} was signed.", text: requestStringV2({ ...full, bodySha256: sha256("{}") }) }
    ]
  }
  const text = Buffer.from(body).toString("utf8")
  const variants: Array<[string, string]> = [
    ["The body's hash is missing: the sha256 of the empty string was signed.", EMPTY_BODY_SHA256],
    ["The body's hash must be in lower case hex.", full.bodySha256.toUpperCase()],
    ["The body's hash must be hex, not base64.", Buffer.from(full.bodySha256, "hex").toString("base64")],
    ["Hash the body's raw bytes as they are sent: other white space was hashed.", sha256(text.trim())],
    ["Hash the body's raw bytes as they are sent: other white space was hashed.", sha256(`${text}\n`)],
    ["Hash the body's raw bytes as they are sent: the JSON was written in another way when it was hashed.", sha256(rewritten(text))],
    ["The last line is the body's hash, not the body.", text]
  ]
  return variants
    .filter(([, variant]) => variant !== full.bodySha256)
    .map(([hint, variant]) => ({ hint, text: requestStringV2({ ...full, bodySha256: variant }) }))
}

const hostMistakes = (full: RequestToSign, hostHeader: string | undefined): ReadonlyArray<Mistake> => {
  const name = full.host.replace(/:\d+$/, "")
  const variants = new Set([hostHeader ?? "", name, name.toUpperCase(), `${name}:443`, `${name}:80`, `https://${full.host}`, `http://${full.host}`])
  variants.delete(full.host)
  variants.delete("")
  return [...variants].map((host) => ({
    hint: `The host line must be ${full.host}, this service's own name.`,
    text: requestStringV2({ ...full, host })
  }))
}

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Long bodies are not worth it: this is help, not service. */
const REWRITE_MAX_CHARS = 65_536

const rewritten = (text: string): string => {
  if (text.length > REWRITE_MAX_CHARS) return text
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
