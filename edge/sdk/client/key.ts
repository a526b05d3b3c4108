/** An agent's key. Its seed leaves the object only by `exportSeed`. */
import { PUBLIC_KEY_BYTES, randomBytes, SEED_BYTES, sha256, type Signer, signerOf, signText } from "./crypto.ts"
import { type Bytes, fromBase64, toBase64, toHex, utf8 } from "./encoding.ts"
import { invalid } from "./errors.ts"

const HUB_ID_HEX_CHARS = 24

export class AgentKey {
  /** Standard base64 of the 32 bytes. */
  readonly publicKey: string
  /**
   * The hub id of an agent that registers with this key. After a rotation, an agent's hub id belongs to its first key.
   */
  readonly hubId: string
  readonly #signer: Signer
  readonly #seed: Bytes

  /** Use `generateKey` or `keyFromSeed` to make a key. */
  constructor(signer: Signer, seed: Bytes, hubId: string) {
    this.#signer = signer
    this.#seed = seed
    this.publicKey = toBase64(signer.publicKey)
    this.hubId = hubId
  }

  /** Base64 of the Ed25519 signature of the text's UTF-8. */
  sign(text: string): Promise<string> {
    return signText(this.#signer, utf8(text))
  }

  /**
   * Standard base64 of the 32 bytes from which `keyFromSeed` makes this key again. Everybody who has it can act as the
   * agent.
   */
  exportSeed(): string {
    return toBase64(this.#seed)
  }

  toJSON(): { readonly publicKey: string; readonly hubId: string } {
    return { publicKey: this.publicKey, hubId: this.hubId }
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `AgentKey { publicKey: '${this.publicKey}', hubId: '${this.hubId}' }`
  }
}

const keyOf = async (seed: Bytes): Promise<AgentKey> => {
  const signer = await signerOf(seed)
  return new AgentKey(signer, seed, `hx${toHex(await sha256(signer.publicKey)).slice(0, HUB_ID_HEX_CHARS)}`)
}

export const generateKey = (): Promise<AgentKey> => keyOf(randomBytes(SEED_BYTES))

/** `seed` is base64 of 32 bytes, in either alphabet. White space around it is ignored. */
export const keyFromSeed = async (seed: string): Promise<AgentKey> => {
  const bytes = fromBase64(seed.trim(), SEED_BYTES)
  if (bytes === null) throw invalid("seed", `must be base64 of ${SEED_BYTES} bytes`)
  return keyOf(bytes)
}

/** Converts a public key in either alphabet of base64 to the standard one. */
export const readPublicKey = (argument: string, text: string): string => {
  const bytes = fromBase64(text, PUBLIC_KEY_BYTES)
  if (bytes === null) throw invalid(argument, `must be base64 of ${PUBLIC_KEY_BYTES} bytes`)
  return toBase64(bytes)
}
