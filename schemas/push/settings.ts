/**
 * Reads the settings of Web Push from the environment (RFC 8030, 8292; contract 16). A problem never repeats the key.
 */
import { createECDH } from "node:crypto"

export interface PushSettings {
  /** Secret: 32 bytes of P-256, in base64url. */
  readonly privateKey: string
  /** The public key for browsers' subscriptions: 65 bytes, in base64url. */
  readonly publicKey: string
}

export type PushSettingsResult =
  | { readonly ok: true; readonly settings: PushSettings | null }
  | { readonly ok: false; readonly problem: string }

const KEY = /^[A-Za-z0-9_-]{43}$/

/** Without a key the settings are `null`, and there is no Web Push. */
export const readPushSettings = (env: Readonly<Record<string, string | undefined>>): PushSettingsResult => {
  const privateKey = env["HUB_VAPID_KEY"]?.trim() ?? ""
  if (privateKey === "") return { ok: true, settings: null }
  const pair = createECDH("prime256v1")
  try {
    if (!KEY.test(privateKey)) throw new Error("no key")
    pair.setPrivateKey(privateKey, "base64url")
  } catch {
    return { ok: false, problem: "HUB_VAPID_KEY must be a private key of P-256: 32 bytes in base64url" }
  }
  return { ok: true, settings: { privateKey, publicKey: pair.getPublicKey("base64url") } }
}
