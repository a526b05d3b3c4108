/** Public keys as JSON Web Keys (RFC 8037), named by their thumbprint (RFC 7638). */
import { hash } from "node:crypto"
import { withoutTrailing } from "../text.ts"

export interface Ed25519Jwk {
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  /** base64url of the 32 bytes. */
  readonly x: string
  /** RFC 7638 thumbprint, base64url of a sha256. */
  readonly kid: string
  readonly alg: "EdDSA"
  readonly use: "sig"
}

/** Only the required members, in alphabetical order, without white space (RFC 7638). */
const thumbprintOf = (x: string): string => hash("sha256", `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, "base64url")

/** `publicKey` is standard base64 of 32 bytes. */
export const jwkOf = (publicKey: string): Ed25519Jwk => {
  const x = withoutTrailing(publicKey.replaceAll("+", "-").replaceAll("/", "_"), "=")
  return { kty: "OKP", crv: "Ed25519", x, kid: thumbprintOf(x), alg: "EdDSA", use: "sig" }
}
