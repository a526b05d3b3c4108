/**
 * Hashing, signing, verification and HMAC for all runtimes. Node, Bun and Deno have them in `node:crypto`, which is
 * loaded at the time of use so that this module loads everywhere. Other runtimes use WebCrypto.
 */
import { type Bytes, concat, fromBase64, toBase64, toHex } from "./encoding.ts"
import { builtin } from "./runtime.ts"

export const SEED_BYTES = 32
export const PUBLIC_KEY_BYTES = 32
export const SIGNATURE_BYTES = 64

/** The bytes before the 32 of an Ed25519 key in PKCS #8 and in SPKI (RFC 8410). */
const PKCS8_PREFIX = Uint8Array.from([
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20
])
const SPKI_PREFIX = Uint8Array.from([0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00])
const ED25519 = { name: "Ed25519" }
const HMAC = { name: "HMAC", hash: "SHA-256" }

type NodeCrypto = typeof import("node:crypto")
export const randomBytes = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length))

export const sha256 = async (data: Bytes): Promise<Uint8Array> => {
  const node = builtin("node:crypto")
  return node === undefined
    ? new Uint8Array(await crypto.subtle.digest("SHA-256", data))
    : node.createHash("sha256").update(data).digest()
}

export const sha256Hex = async (data: Bytes): Promise<string> => toHex(await sha256(data))

export interface Signer {
  readonly publicKey: Bytes
  readonly sign: (message: Bytes) => Promise<Uint8Array>
}

/** Node accepts any bytes as a key, but its types require a Buffer, which does not exist in every runtime. */
const der = (...parts: ReadonlyArray<Uint8Array>): Buffer => concat(...parts) as Uint8Array as Buffer

const nodeSigner = (node: NodeCrypto, seed: Bytes): Signer => {
  const privateKey = node.createPrivateKey({ key: der(PKCS8_PREFIX, seed), format: "der", type: "pkcs8" })
  const spki = node.createPublicKey(privateKey).export({ format: "der", type: "spki" })
  return {
    publicKey: Uint8Array.from(spki.subarray(-PUBLIC_KEY_BYTES)),
    sign: (message) => Promise.resolve(node.sign(null, message, privateKey))
  }
}

const webSigner = async (seed: Bytes): Promise<Signer> => {
  const pkcs8 = concat(PKCS8_PREFIX, seed)
  // The public half can only be read by exporting the key. The key that is kept must not be exportable, so the key is
  // imported twice.
  const { x = "" } = await crypto.subtle.exportKey(
    "jwk",
    await crypto.subtle.importKey("pkcs8", pkcs8, ED25519, true, ["sign"])
  )
  const publicKey = fromBase64(x, PUBLIC_KEY_BYTES)
  if (publicKey === null) throw new Error("this runtime's WebCrypto gave no Ed25519 public key")
  const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, ED25519, false, ["sign"])
  return { publicKey, sign: async (message) => new Uint8Array(await crypto.subtle.sign(ED25519, privateKey, message)) }
}

export const signerOf = async (seed: Bytes): Promise<Signer> => {
  const node = builtin("node:crypto")
  try {
    if (node !== undefined) return nodeSigner(node, seed)
  } catch {
    // Some runtimes have the module without all of its functions.
  }
  return webSigner(seed)
}

/** Resolves to `false` for a malformed key or signature too. */
export const verifyEd25519 = async (publicKey: Bytes, message: Bytes, signature: Bytes): Promise<boolean> => {
  const node = builtin("node:crypto")
  try {
    if (node !== undefined) {
      const key = node.createPublicKey({ key: der(SPKI_PREFIX, publicKey), format: "der", type: "spki" })
      return node.verify(null, message, key, signature)
    }
    return await crypto.subtle.verify(
      ED25519,
      await crypto.subtle.importKey("raw", publicKey, ED25519, false, ["verify"]),
      signature,
      message
    )
  } catch {
    return false
  }
}

export const hmacSha256 = async (secret: Bytes, message: Bytes): Promise<Uint8Array> => {
  const node = builtin("node:crypto")
  if (node !== undefined) return node.createHmac("sha256", secret).update(message).digest()
  const key = await crypto.subtle.importKey("raw", secret, HMAC, false, ["sign"])
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, message))
}

export const signText = async (signer: Signer, message: Bytes): Promise<string> => toBase64(await signer.sign(message))
