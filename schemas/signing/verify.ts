/** Ed25519 verification with Node's own crypto. */
import { createPublicKey, type KeyObject, verify } from "node:crypto"

/** What stands before the raw key in SubjectPublicKeyInfo of Ed25519 (RFC 8410). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex")

/** Of 32 bytes. Any 32 bytes make a key; one that is no point verifies nothing. */
export const verifyKeyOf = (publicKey: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" })

export const signatureHolds = (key: KeyObject, text: string, signature: Uint8Array): boolean =>
  verify(null, Buffer.from(text, "utf8"), key, signature)
