/**
 * Ed25519 verification: the runtime's own, synchronous if possible, or else the implementation that the website
 * provides.
 */
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES, SPKI_PREFIX } from "../../../schemas/signing/ed25519.ts"
import { decodeText } from "./base64.ts"
import type { Ed25519 } from "./interface.ts"
import { misuse } from "./misuse.ts"
import { runtime, type Subtle } from "./runtime.ts"

export interface Backend {
  /** True if both answer synchronously. */
  readonly sync: boolean
  prepare(publicKey: Uint8Array): unknown
  verify(signature: Uint8Array, message: Uint8Array, key: unknown): boolean | Promise<boolean>
}

interface NodeCrypto {
  createPublicKey(input: { key: Uint8Array; format: "der"; type: "spki" }): object
  verify(algorithm: null, data: Uint8Array, key: object, signature: Uint8Array): boolean
}

const nodeBackend = (crypto: NodeCrypto): Backend => ({
  sync: true,
  prepare: (publicKey) => {
    const key = new Uint8Array(SPKI_PREFIX.length + PUBLIC_KEY_BYTES)
    key.set(SPKI_PREFIX)
    key.set(publicKey, SPKI_PREFIX.length)
    return crypto.createPublicKey({ key, format: "der", type: "spki" })
  },
  verify: (signature, message, key) => crypto.verify(null, message, key as object, signature)
})

const subtleBackend = (subtle: Subtle): Backend => ({
  sync: false,
  prepare: (publicKey) => subtle.importKey("raw", publicKey.slice(), "Ed25519", false, ["verify"]),
  verify: (signature, message, key) => subtle.verify("Ed25519", key as object, signature, message)
})

const givenBackend = (given: Ed25519): Backend => ({
  sync: false,
  prepare: (publicKey) => publicKey.slice(),
  verify: (signature, message, key) => given.verify(signature, message, key as Uint8Array)
})

/** A valid signature of the empty text (RFC 8032, 7.1, test 1). */
const PROBE = {
  key: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  signature: "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw"
}

/** A backend must distinguish a valid signature from an invalid one before it is used. */
const confirms = async (backend: Backend): Promise<boolean> => {
  try {
    const [key, signature] = [decodeText(PROBE.key, PUBLIC_KEY_BYTES), decodeText(PROBE.signature, SIGNATURE_BYTES)]
    if (key === null || signature === null) return false
    const prepared = await backend.prepare(key)
    const [empty, other] = [new Uint8Array(0), new Uint8Array(1)]
    return (
      (await backend.verify(signature, empty, prepared)) === true &&
      (await backend.verify(signature, other, prepared)) === false
    )
  } catch {
    return false
  }
}

export const chooseBackend = async (given: Ed25519 | undefined): Promise<Backend> => {
  const node = runtime.process?.getBuiltinModule?.("node:crypto") as Partial<NodeCrypto> | undefined
  const subtle = runtime.crypto?.subtle
  const candidates = [
    typeof node?.verify === "function" && typeof node.createPublicKey === "function"
      ? nodeBackend(node as NodeCrypto)
      : null,
    subtle === undefined ? null : subtleBackend(subtle),
    given === undefined ? null : givenBackend(given)
  ]
  for (const backend of candidates) if (backend !== null && (await confirms(backend))) return backend
  throw misuse("this runtime has no Ed25519 of its own: pass one as the option `ed25519`")
}
