/** A vault's key pair, as the keeper makes one. */
import sodium from "libsodium-wrappers"

export interface VaultKeys {
  readonly public: Uint8Array
  readonly private: Uint8Array
  /** In base64. */
  readonly publicKey: string
}

export const vaultKeys = async (): Promise<VaultKeys> => {
  await sodium.ready
  const { publicKey, privateKey } = sodium.crypto_box_keypair()
  return { public: publicKey, private: privateKey, publicKey: Buffer.from(publicKey).toString("base64") }
}
