/**
 * Sealed boxes that only hosts can open (libsodium, `crypto_box_seal`), and new key pairs of agents. The key pair of
 * the boxes is derived from HUB_RUNTIME_KEY. Each box names its compartment and its secret's name inside, so it does
 * not open in another place.
 */
import { generateKeyPairSync, hkdfSync } from "node:crypto"
import { Schema } from "effect"
import sodium from "libsodium-wrappers"
import { encodeBase64 } from "../../schemas/signing/key.ts"

const Inside = Schema.Struct({
  v: Schema.Literal(1),
  compartment: Schema.String,
  name: Schema.String,
  value: Schema.String
})
const readInside = Schema.decodeUnknownSync(Schema.fromJsonString(Inside))

const PAIR_BYTES = 32
/** The length of the seed, which ends a PKCS 8 key of Ed25519. */
const SEED_BYTES = 32

export interface Boxes {
  /** The public key in base64. */
  readonly publicKey: string
  /** Throws if the box was not sealed for this key and this place. */
  readonly open: (box: string, compartment: string, name: string) => string
  readonly seal: (value: string, compartment: string, name: string) => string
}

export const boxesOf = async (seed: Uint8Array): Promise<Boxes> => {
  await sodium.ready
  const derived = new Uint8Array(hkdfSync("sha256", seed, new Uint8Array(0), "hub runtime, boxes", PAIR_BYTES))
  const { publicKey, privateKey } = sodium.crypto_box_seed_keypair(derived)
  return {
    publicKey: encodeBase64(publicKey),
    open: (box, compartment, name) => {
      const inside = readInside(
        Buffer.from(sodium.crypto_box_seal_open(Buffer.from(box, "base64"), publicKey, privateKey)).toString("utf8")
      )
      if (inside.compartment !== compartment || inside.name !== name) throw new Error("a box of another place")
      return inside.value
    },
    seal: (value, compartment, name) => {
      const inside = JSON.stringify({ v: 1, compartment, name, value })
      return Buffer.from(sodium.crypto_box_seal(Buffer.from(inside), publicKey)).toString("base64")
    }
  }
}

/** A new key pair of an agent: the public half and the seed, both base64. */
export const newAgentKey = (): { readonly publicKey: string; readonly seed: string } => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519")
  const seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(-SEED_BYTES)
  const known = publicKey.export({ format: "der", type: "spki" }).subarray(-SEED_BYTES)
  return { publicKey: encodeBase64(known), seed: encodeBase64(seed) }
}
