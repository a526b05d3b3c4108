/**
 * The service's side of Web Authentication: the options that a browser gets, and the checks of its answer.
 * @simplewebauthn/server verifies challenge, origin, relying party, flags, counter and signature.
 *
 * Invariants
 *  - The browser finds a passkey itself (resident key), and the authenticator confirms that it has verified its user
 *    (user verification).
 *  - No attestation is requested, and one with a certificate is refused. Verifying it could require revocation lists
 *    from the network.
 */
import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server"
import { decodeAttestationObject } from "@simplewebauthn/server/helpers"
import { takesPasskeys } from "../../schemas/console/settings.ts"
import { PASSKEY_LIMITS } from "../../schemas/human/limits.ts"
import type { MadePasskey, SignedByPasskey } from "../../schemas/human/passkey.ts"
import type { PasskeyRecord } from "./passkey-record.ts"

/** ES256, Ed25519, RS256 (RFC 9053, RFC 8812). */
const ALGORITHMS = [-7, -8, -257]
const TIMEOUT = PASSKEY_LIMITS.challenge_seconds * 1000

export interface RelyingParty {
  readonly id: string
  readonly name: string
  readonly origin: string
}

export const relyingParty = ({ baseUrl, name }: { readonly baseUrl: string; readonly name: string }): RelyingParty => {
  const { hostname, origin } = new URL(baseUrl)
  return { id: hostname, name, origin }
}

/** The relying party of the operators' console; `null` if passkeys do not work there. */
export const consoleParty = (config: {
  readonly baseUrl: string
  readonly name: string
  readonly console: { readonly url: string }
}): RelyingParty | null =>
  takesPasskeys(config.baseUrl, config.console.url)
    ? { ...relyingParty(config), origin: new URL(config.console.url).origin }
    : null

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64url")

const knownAs = ({ credential, transports }: PasskeyRecord) => ({ type: "public-key", id: credential, transports })

interface Creating {
  readonly human: string
  readonly email: string
  readonly challenge: string
  /** The account's passkeys, so that an authenticator makes no second one. */
  readonly known: ReadonlyArray<PasskeyRecord>
}

/** The JSON of PublicKeyCredentialCreationOptionsJSON. */
export const creationOptions = ({ id, name }: RelyingParty, { human, email, challenge, known }: Creating): string =>
  JSON.stringify({
    rp: { id, name },
    user: { id: base64url(human), name: email, displayName: email },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: TIMEOUT,
    excludeCredentials: known.map(knownAs),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none"
  })

/** The JSON of PublicKeyCredentialRequestOptionsJSON, for passkeys of any account. */
export const requestOptions = ({ id }: RelyingParty, challenge: string): string =>
  JSON.stringify({ challenge, rpId: id, timeout: TIMEOUT, userVerification: "required" })

/** True if there is no attestation, or one that the passkey itself signs, without a certificate. */
const statesNothing = (attestationObject: string): boolean => {
  const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, "base64url")))
  const format = attestation.get("fmt")
  return format === "none" || (format === "packed" && attestation.get("attStmt").get("x5c") === undefined)
}

const PUBLIC_KEY = { type: "public-key", clientExtensionResults: {} } as const

/** The record of a new passkey; `null` if it does not match the request. */
export const verifiedPasskey = async (
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  { id, clientDataJSON, attestationObject, transports }: MadePasskey,
  { challenge: expectedChallenge, name }: { readonly challenge: string; readonly name: string }
): Promise<PasskeyRecord | null> => {
  try {
    if (!statesNothing(attestationObject)) return null
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId: id, response: { clientDataJSON, attestationObject }, ...PUBLIC_KEY },
      expectedChallenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS
    })
    if (!verified) return null
    const { credential } = registrationInfo
    if (credential.id !== id) return null
    return { credential: id, key: base64url(credential.publicKey), counter: credential.counter, transports, name }
  } catch {
    return null
  }
}

/**
 * The new counter of a passkey with a valid signature; otherwise `null`. A counter that does not increase gives `null`
 * too, because the passkey may have been copied. Passkeys without a counter always report 0.
 */
export const verifiedCounter = async (
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  { credential: id, key, counter }: PasskeyRecord,
  { clientDataJSON, authenticatorData, signature }: SignedByPasskey,
  expectedChallenge: string
): Promise<number | null> => {
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, response: { clientDataJSON, authenticatorData, signature }, ...PUBLIC_KEY },
      expectedChallenge,
      expectedOrigin,
      expectedRPID,
      credential: { id, publicKey: new Uint8Array(Buffer.from(key, "base64url")), counter },
      requireUserVerification: true
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}
