/**
 * Seals secrets of compartments as soon as they arrive, to the key of the hosts, which alone can open them (libsodium,
 * `crypto_box_seal`). Each box names its compartment and its secret's name.
 */
import sodium from "libsodium-wrappers"

/** `publicKey` is base64. */
export const boxTo = async (
  publicKey: string,
  compartment: string
): Promise<(name: string, value: string) => string> => {
  await sodium.ready
  const key = Buffer.from(publicKey, "base64")
  return (name, value) => {
    const inside = Buffer.from(JSON.stringify({ v: 1, compartment, name, value }))
    try {
      return Buffer.from(sodium.crypto_box_seal(inside, key)).toString("base64")
    } finally {
      inside.fill(0)
    }
  }
}
