/**
 * Key directories for HTTP message signatures: an agent's, which it may have signed beforehand, and the service's own.
 * A verifier that follows `Signature-Agent` expects a signature of the directory's answer by each key in the directory.
 * The signature must cover the host, and have the tag "http-message-signatures-directory".
 */
import { Effect } from "effect"
import { invalidField, type Refusal } from "../../schemas/errors.ts"
import { jwkOf } from "../../schemas/signing/jwk.ts"
import { DIRECTORY_ALGORITHM as ALGORITHM, DIRECTORY_TAG as TAG } from "../../schemas/signing/own-directory.ts"
import {
  covers,
  holdsOneSignature,
  integerParameter,
  readSignatures,
  SIGNATURE_HEADER_MAX_CHARS,
  signatureBase,
  type SignatureInput,
  textParameter
} from "./http-signature.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"

/** The longest validity of a signature that an agent hands in. */
const LIFETIME_MAX_SECONDS = 366 * 86_400
const CLOCK_TOLERANCE_SECONDS = 300
const OWN_RENEWED_EVERY_MS = 60_000

const HEADER_TEXT = /^[\x20-\x7e]+$/

export interface HandedIn {
  readonly signature: string
  readonly signature_input: string
}

export interface DirectoryCheck {
  /** The key that must have signed, in standard base64. */
  readonly publicKey: string
  readonly hosts: ReadonlyArray<string>
  /** Unix ms. */
  readonly now: number
  readonly holds: (text: string, signature: Uint8Array) => boolean
}

const fault = (field: "signature" | "signature_input", message: string): Refusal => invalidField(field, message)

/** Returns the time when the signature expires, in Unix ms, or the refusal. */
export const checkDirectorySignature = (given: HandedIn, check: DirectoryCheck): number | Refusal => {
  for (const field of ["signature", "signature_input"] as const) {
    if (given[field].length > SIGNATURE_HEADER_MAX_CHARS || !HEADER_TEXT.test(given[field])) {
      return fault(
        field,
        `${field} must be a header value of at most ${SIGNATURE_HEADER_MAX_CHARS} printable ASCII characters.`
      )
    }
  }
  const signatures = readSignatures(given.signature_input, given.signature)
  const [input] = signatures ?? []
  if (input === undefined || !holdsOneSignature(given.signature_input, given.signature))
    return fault("signature_input", "signature_input and signature must hold one signature, under one label.")
  const now = Math.floor(check.now / 1000)
  const expires = integerParameter(input, "expires")
  const problem = parametersProblem(input, check.publicKey, now)
  if (problem !== null || expires === null)
    return fault("signature_input", problem ?? "signature_input needs expires, in unix seconds.")
  const bytes = Buffer.from(input.signature, "base64")
  const bases = check.hosts.map((authority) =>
    signatureBase(input.covered, { status: 200, request: { authority, method: "GET" } })
  )
  if (bases.every((base) => base === null))
    return fault("signature_input", 'signature_input may cover "@authority";req, "@method";req and "@status" alone.')
  return bases.some((base) => base !== null && check.holds(base, bytes))
    ? expires * 1000
    : fault("signature", "signature does not verify by your current key, over any of the service's hosts.")
}

const parametersProblem = (input: SignatureInput, publicKey: string, now: number): string | null => {
  if (textParameter(input, "tag") !== TAG) return `signature_input must have the tag "${TAG}".`
  if (textParameter(input, "keyid") !== jwkOf(publicKey).kid)
    return "signature_input must name the RFC 7638 thumbprint of your current key as keyid."
  const algorithm = textParameter(input, "alg")
  if (algorithm !== null && algorithm !== ALGORITHM) return `signature_input must have the alg "${ALGORITHM}", or none.`
  if (!covers(input, "@authority", true)) return 'signature_input must cover "@authority";req.'
  const created = integerParameter(input, "created")
  const expires = integerParameter(input, "expires")
  if (created === null || created > now + CLOCK_TOLERANCE_SECONDS)
    return "signature_input needs created, in unix seconds, not in the future."
  if (expires === null || expires <= now) return "signature_input needs expires, in unix seconds, in the future."
  return expires - created > LIFETIME_MAX_SECONDS
    ? `signature_input may not hold longer than ${LIFETIME_MAX_SECONDS} seconds.`
    : null
}

/**
 * The service's own directory. An actor signs it, because an edge has no key of the service. The signature for a host
 * is cached for a minute.
 */
export class OwnDirectory {
  readonly text: string
  private readonly bus: Bus
  private readonly signed = new Map<
    string,
    { readonly until: number; readonly headers: Readonly<Record<string, string>> }
  >()

  /** `publicKey` is the service's key in standard base64. */
  constructor(bus: Bus, publicKey: string) {
    this.bus = bus
    this.text = JSON.stringify({ keys: [jwkOf(publicKey)] })
  }

  /** `authority` must be one of the configured hosts, which bounds the number of signatures. */
  headersFor(call: Call, authority: string): Effect.Effect<Readonly<Record<string, string>>, Refused> {
    const known = this.signed.get(authority)
    if (known !== undefined && call.startedAt < known.until) return Effect.succeed(known.headers)
    return Effect.map(
      this.bus.read(call, { actor: "own", op: "service.sign_directory", input: { authority } }),
      ({ signature, signature_input }) => {
        const headers = { "signature-input": signature_input, signature }
        this.signed.set(authority, { until: call.startedAt + OWN_RENEWED_EVERY_MS, headers })
        return headers
      }
    )
  }
}
