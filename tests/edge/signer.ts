/** An agent's side of signing, written from the specification alone so that it shares no fault with the service. */
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto"

export interface Identity {
  readonly privateKey: KeyObject
  readonly raw: Buffer
  readonly key: string
  readonly hubId: string
}

export const newIdentity = (): Identity => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  return identityOf(privateKey, Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url"))
}

const identityOf = (privateKey: KeyObject, raw: Buffer): Identity => ({
  privateKey,
  raw,
  key: raw.toString("base64"),
  hubId: `hx${createHash("sha256").update(raw).digest("hex").slice(0, 24)}`
})

export interface Signing {
  readonly method: string
  readonly path: string
  readonly host: string
  readonly body?: string | Uint8Array
  readonly timestamp?: number | string
  readonly nonce?: string
  readonly key?: string
  /** The text to sign, where it shall differ from the right one. */
  readonly text?: (parts: { timestamp: string; nonce: string; hash: string }) => string
}

export const signatureHeaders = (identity: Identity, request: Signing): Record<string, string> => {
  const timestamp = String(request.timestamp ?? Math.floor(Date.now() / 1000))
  const nonce = request.nonce ?? randomUUID()
  const hash = createHash("sha256")
    .update(request.body ?? "")
    .digest("hex")
  const text =
    request.text?.({ timestamp, nonce, hash }) ??
    ["HUB-V2", request.method, request.host, request.path, timestamp, nonce, hash].join("\n")
  return {
    "X-Hub-Key": request.key ?? identity.key,
    "X-Hub-Timestamp": timestamp,
    "X-Hub-Nonce": nonce,
    "X-Hub-Signature": sign(null, Buffer.from(text), identity.privateKey).toString("base64")
  }
}
