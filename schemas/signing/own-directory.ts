/**
 * The service's signature over its own key directory (RFC 9421; tag "http-message-signatures-directory"). It covers the
 * host and the time of validity. Pure.
 */
import { jwkOf } from "./jwk.ts"

export const DIRECTORY_TAG = "http-message-signatures-directory"
export const DIRECTORY_ALGORITHM = "ed25519"

export interface OwnDirectoryToSign {
  /** Standard base64 of the service's public key. */
  readonly publicKey: string
  /** Host line, such as `hub.example` or `127.0.0.1:8080`. */
  readonly authority: string
  /** Unix seconds. */
  readonly created: number
  readonly expires: number
}

/** The signature's parameters, as they follow the label in `Signature-Input`. */
export const ownDirectoryParameters = ({
  publicKey,
  created,
  expires
}: Omit<OwnDirectoryToSign, "authority">): string =>
  `("@authority";req);alg="${DIRECTORY_ALGORITHM}";keyid="${jwkOf(publicKey).kid}";` +
  `tag="${DIRECTORY_TAG}";created=${created};expires=${expires}`

/** The signature base of RFC 9421. */
export const ownDirectoryString = (directory: OwnDirectoryToSign): string =>
  `"@authority";req: ${directory.authority}\n"@signature-params": ${ownDirectoryParameters(directory)}`
