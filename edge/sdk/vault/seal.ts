/**
 * The form of sealed entries (contract 17): UTF-8 JSON in an X25519 sealed box (`crypto_box_seal`), which only the
 * vault's own fill service can open.
 */
import sodium from "libsodium-wrappers"
import { sealedBox } from "../client/sealed-box.ts"
import type { EntryKind } from "../../../schemas/vault/records.ts"

export interface ToSeal {
  /** The vault's uid. */
  readonly vault: string
  /** The vault's public key in base64. */
  readonly public_key: string
  /** The entry's uid. */
  readonly uid: string
  readonly kind: EntryKind
  readonly origins?: ReadonlyArray<string>
  /** The sealed fields of the kind, such as `username`, `password`, `number` or `value`, and `limits` for a card. */
  readonly fields: Readonly<Record<string, unknown>>
}

const PREFIX = "hxv1."

/**
 * Seals the fields without checks. Agents and sources use the client's function, which checks them first
 * (client/vault.ts). Throws a `TypeError` if `public_key` is not a key.
 */
export const sealEntry = ({ vault, public_key, uid, kind, origins = [], fields }: ToSeal): Promise<string> =>
  sealedBox(public_key, new TextEncoder().encode(JSON.stringify({ ...fields, v: 1, vault, uid, kind, origins })))

/** Opens the box; `null` if it is not for this key, or contains no entry. */
export const openEntry = async (
  ciphertext: string,
  { public_key, private_key }: { readonly public_key: Uint8Array; readonly private_key: Uint8Array }
): Promise<Readonly<Record<string, unknown>> | null> => {
  await sodium.ready
  try {
    const box = sodium.from_base64(ciphertext.slice(PREFIX.length), sodium.base64_variants.ORIGINAL)
    const plain = sodium.crypto_box_seal_open(box, public_key, private_key)
    const value = parsed(plain)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}

const parsed = (plain: Uint8Array): unknown => {
  try {
    return JSON.parse(sodium.to_string(plain))
  } finally {
    sodium.memzero(plain)
  }
}
