/**
 * The form of private keys in the keeper's store: AES-256-GCM under a key derived from HUB_VAULT_KEY, bound to the
 * vault. Keys are bytes that can be wiped, never text.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes
} from "node:crypto"

const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The prefix of each box, which identifies the key that sealed it. */
const MARK_BYTES = 4

interface Key {
  readonly mark: Buffer
  readonly key: KeyObject
  readonly tokens: KeyObject
}

const derived = (seed: Uint8Array): Key => {
  const of = (use: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync("sha256", seed, new Uint8Array(0), `hub vault, ${use}`, bytes))
  return {
    mark: of("mark", MARK_BYTES),
    key: createSecretKey(of("private keys", 32)),
    tokens: createSecretKey(of("tokens", 32))
  }
}

export class KeySealing {
  private readonly current: Key
  private readonly known: ReadonlyArray<Key>

  /** `former`: the key that opens older boxes. It seals nothing new. */
  constructor(seed: Uint8Array, former: Uint8Array | null) {
    this.current = derived(seed)
    this.known = [this.current, ...(former === null ? [] : [derived(former)])]
  }

  seal(bytes: Uint8Array, vault: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv("aes-256-gcm", this.current.key, nonce)
    cipher.setAAD(Buffer.from(vault))
    const box = Buffer.concat([cipher.update(bytes), cipher.final()])
    return Buffer.concat([this.current.mark, nonce, cipher.getAuthTag(), box])
  }

  /** 32 bytes that only this key can compute. The same words give the same bytes. */
  tokenOf(...words: ReadonlyArray<string>): Buffer {
    return createHmac("sha256", this.current.tokens).update(JSON.stringify(words)).digest()
  }

  isCurrent(sealed: Uint8Array): boolean {
    return this.current.mark.equals(sealed.subarray(0, MARK_BYTES))
  }

  /** Throws if it was sealed for another vault, or under an unknown key. The caller overwrites the bytes afterwards. */
  open(sealed: Uint8Array, vault: string): Buffer {
    const key = this.known.find(({ mark }) => mark.equals(sealed.subarray(0, MARK_BYTES)))?.key
    if (key === undefined) throw new Error("A private key stands under another HUB_VAULT_KEY")
    const [nonceEnd, tagEnd] = [MARK_BYTES + NONCE_BYTES, MARK_BYTES + NONCE_BYTES + TAG_BYTES]
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(MARK_BYTES, nonceEnd), {
      authTagLength: TAG_BYTES
    })
    decipher.setAAD(Buffer.from(vault))
    decipher.setAuthTag(sealed.subarray(nonceEnd, tagEnd))
    const bytes = decipher.update(sealed.subarray(tagEnd))
    try {
      // In this mode it returns no bytes, so only the caller's buffer has the key.
      decipher.final()
      return bytes
    } catch (cause) {
      bytes.fill(0)
      throw cause
    }
  }
}
