/**
 * Challenges for the verification of an agent (contract 5). Anybody may request one, so the service stores only used
 * ones. A challenge contains its expiry, and a keyed hash that only the service can make for this agent.
 *
 *   32 bytes: 12 random, 4 of the expiry (unix seconds), 16 of HMAC-SHA256 over hub id, random bytes and expiry
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { decodeBase64 } from "../../../schemas/signing/key.ts"

const CHALLENGE_BYTES = 32
const RANDOM_BYTES = 12
const HEAD_BYTES = RANDOM_BYTES + 4
const FORM = /^[A-Za-z0-9_-]{43}$/

export class Challenges {
  private readonly key: Uint8Array

  constructor(seed: Uint8Array) {
    this.key = createHmac("sha256", seed).update("hub verify challenges").digest()
  }

  /** Makes a challenge of 43 base64url characters. `expires`: Unix seconds. */
  make(hubId: string, expires: number): string {
    const head = Buffer.alloc(HEAD_BYTES)
    randomBytes(RANDOM_BYTES).copy(head)
    head.writeUInt32BE(expires, RANDOM_BYTES)
    return Buffer.concat([head, this.mark(hubId, head)]).toString("base64url")
  }

  /** The time when it expires, in Unix seconds; `null` if this service did not make it for this agent. */
  expiryOf(hubId: string, challenge: string): number | null {
    // Only one text form is accepted, because used challenges are stored and compared as text.
    const bytes = FORM.test(challenge) ? decodeBase64(challenge, CHALLENGE_BYTES) : null
    if (bytes === null) return null
    const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
    return timingSafeEqual(this.mark(hubId, head), bytes.subarray(HEAD_BYTES)) ? head.readUInt32BE(RANDOM_BYTES) : null
  }

  private mark(hubId: string, head: Uint8Array): Buffer {
    return createHmac("sha256", this.key)
      .update(hubId)
      .update(head)
      .digest()
      .subarray(0, CHALLENGE_BYTES - HEAD_BYTES)
  }
}
