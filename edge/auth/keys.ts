/** Caches public keys that are ready for verification. */
import type { KeyObject } from "node:crypto"
import { GenerationCache } from "../http/generation-cache.ts"
import { hubIdOf } from "../../schemas/signing/key.ts"
import { verifyKeyOf } from "../../schemas/signing/verify.ts"

const KEYS_MAX = 10_000

export interface VerifyKey {
  readonly key: KeyObject
  readonly hubId: string
}

export class VerifyKeys {
  private readonly known = new GenerationCache<string, VerifyKey>(KEYS_MAX)

  /** `publicKey`: `bytes` in standard base64. */
  of(publicKey: string, bytes: Uint8Array): VerifyKey {
    const known = this.known.get(publicKey)
    if (known !== undefined) return known
    const entry = { key: verifyKeyOf(bytes), hubId: hubIdOf(bytes) }
    this.known.set(publicKey, entry)
    return entry
  }
}
