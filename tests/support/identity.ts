/** An agent's key, and the agent's part of signing (spec 5.1). */
import { createHash, type KeyObject, randomBytes, sign } from "node:crypto"
import { encodeBase64, hubIdOf } from "../../schemas/signing/key.ts"
import { EMPTY_BODY_SHA256, requestStringV2 } from "../../schemas/signing/request.ts"
import { keyPairOfSeed, SEED_BYTES } from "../../schemas/signing/seed.ts"

export interface Identity {
  readonly privateKey: KeyObject
  /** Standard base64. */
  readonly publicKey: string
  readonly hubId: string
}

export function identityOf(seed: Uint8Array): Identity {
  const { privateKey, publicKey } = keyPairOfSeed(seed)
  return { privateKey, publicKey: encodeBase64(publicKey), hubId: hubIdOf(publicKey) }
}

export const newIdentity = (): Identity => identityOf(randomBytes(SEED_BYTES))

export interface ToSign {
  readonly method: string
  /** One of the service's hosts. */
  readonly host: string
  readonly path: string
  readonly body?: string | Uint8Array
  /** By default the present time and a new nonce. */
  readonly timestamp?: string
  readonly nonce?: string
}

export type SignatureHeaders = Readonly<
  Record<"x-hub-key" | "x-hub-timestamp" | "x-hub-nonce" | "x-hub-signature", string>
>

export function signedHeaders(identity: Identity, request: ToSign): SignatureHeaders {
  const timestamp = request.timestamp ?? String(Math.floor(Date.now() / 1000))
  const nonce = request.nonce ?? randomBytes(18).toString("base64url")
  const bodySha256 =
    request.body === undefined || request.body.length === 0
      ? EMPTY_BODY_SHA256
      : createHash("sha256").update(request.body).digest("hex")
  const text = requestStringV2({
    method: request.method,
    host: request.host,
    path: request.path,
    timestamp,
    nonce,
    bodySha256
  })
  return {
    "x-hub-key": identity.publicKey,
    "x-hub-timestamp": timestamp,
    "x-hub-nonce": nonce,
    "x-hub-signature": sign(null, Buffer.from(text), identity.privateKey).toString("base64")
  }
}
