/** Public keys ready for verification. Making one costs a fifth of a verification, so the ones in use are kept. */
import { createPublicKey, type KeyObject, verify } from "node:crypto"
import { GenerationCache } from "../http/generation-cache.ts"
import { hubIdOf } from "../../schemas/signing/key.ts"

const KEYS_MAX = 10_000

/** What stands before the raw key in SubjectPublicKeyInfo of Ed25519 (RFC 8410). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex")

export interface VerifyKey {
  readonly key: KeyObject
  readonly hubId: string
}

export class VerifyKeys {
  private readonly known = new GenerationCache<string, VerifyKey>(KEYS_MAX)

  /** `publicKey`: the same key in standard base64. Any 32 bytes make a key; one that is no point verifies nothing. */
  of(publicKey: string, bytes: Uint8Array): VerifyKey {
    const known = this.known.get(publicKey)
    if (known !== undefined) return known
    const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: "der", type: "spki" })
    const entry = { key, hubId: hubIdOf(bytes) }
    this.known.set(publicKey, entry)
    return entry
  }
}

export const signatureHolds = (key: KeyObject, text: string, signature: Uint8Array): boolean =>
  verify(null, Buffer.from(text, "utf8"), key, signature)
