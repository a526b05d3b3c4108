/** Ed25519 verification with Node's own crypto. */
import { createPublicKey, type KeyObject, verify } from "node:crypto"
import { SPKI_PREFIX } from "./ed25519.ts"

/** `publicKey` has 32 bytes. Bytes that are not a point of the curve make a key that verifies nothing. */
export const verifyKeyOf = (publicKey: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" })

export const signatureHolds = (key: KeyObject, text: string, signature: Uint8Array): boolean =>
  verify(null, Buffer.from(text, "utf8"), key, signature)
