/**
 * Holds the vault's key (contract 17). It is requested once, sealed to a one-time key pair, and kept in one buffer that
 * is wiped at the end. Opened secrets are JavaScript strings, which cannot be wiped.
 */
import sodium from "libsodium-wrappers"
import { openEntry } from "../sdk/vault/seal.ts"
import type { Hub } from "./hub.ts"
import { Refused, StartFault } from "./refusal.ts"

const KEY_BYTES = 32
/** If an answer is lost, the request is repeated with the same one-time key. */
const TRIES = 3

export interface Key {
  readonly vault: string
  /** The vault's public key in base64. */
  readonly public_key: string
  readonly loaded_at: string
  readonly open: (ciphertext: string) => Promise<Readonly<Record<string, unknown>> | null>
  readonly wipe: () => void
}

interface Loaded {
  readonly vault: string
  readonly public_key: string
  readonly sealed_key: string
}

const asked = async (hub: Hub, ephemeral_public_key: string): Promise<Loaded> => {
  for (let tries = 1; ; tries++) {
    try {
      return await hub.ask<Loaded>("POST", "/vault/service/key", { ephemeral_public_key })
    } catch (error) {
      const again = error instanceof Refused && error.code === "hub_unreachable" && tries < TRIES
      if (!again) throw error
    }
  }
}

const opened = (sealed: string, publicKey: Uint8Array, privateKey: Uint8Array): Uint8Array => {
  try {
    const key = sodium.crypto_box_seal_open(Buffer.from(sealed, "base64"), publicKey, privateKey)
    if (key.length === KEY_BYTES) return key
  } catch {
    // The error is thrown below.
  }
  throw new StartFault("the hub's answer holds no key for this service")
}

export const loadKey = async (hub: Hub): Promise<Key> => {
  await sodium.ready
  const { publicKey, privateKey } = sodium.crypto_box_keypair()
  const { vault, public_key, sealed_key } = await asked(hub, Buffer.from(publicKey).toString("base64"))
  const raw = opened(sealed_key, publicKey, privateKey)
  sodium.memzero(privateKey)
  // A separate buffer outside of Node's pool of small buffers, so that wiping it wipes only the key.
  const private_key = Buffer.alloc(KEY_BYTES)
  private_key.set(raw)
  sodium.memzero(raw)
  const own = Buffer.from(public_key, "base64")
  if (!Buffer.from(sodium.crypto_scalarmult_base(private_key)).equals(own))
    throw new StartFault("the key that the hub gave is not the vault's")
  return {
    vault,
    public_key,
    loaded_at: new Date().toISOString(),
    open: (ciphertext) => openEntry(ciphertext, { public_key: own, private_key }),
    wipe: () => sodium.memzero(private_key)
  }
}
