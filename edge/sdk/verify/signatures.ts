/** Finds which of an agent's keys made a signature. */
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from "../../../schemas/signing/ed25519.ts"
import { decodeInto, decodeText } from "./base64.ts"
import { type Backend, chooseBackend } from "./ed25519.ts"
import type { Ed25519 } from "./interface.ts"

interface CachedKey {
  readonly bytes: Uint8Array
  readonly key: unknown
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => {
  for (let index = 0; index < PUBLIC_KEY_BYTES; index++) if (one[index] !== other[index]) return false
  return true
}

const encoder = new TextEncoder()

export type Signer = "current" | "retired" | "nobody" | "malformed"

interface Keys {
  readonly number: number
  readonly current: Uint8Array
  retired(): ReadonlyArray<Uint8Array>
}

/**
 * Finds which of an agent's keys made a signature. Imported keys are cached, because importing one costs a quarter of a
 * verification. Two generations bound the cache. Retired keys are imported each time, because they are rarely used.
 */
export class Signatures {
  private backend: Backend | null = null
  private choosing: Promise<Backend> | null = null
  private young = new Map<number, CachedKey>()
  private old = new Map<number, CachedKey>()
  private readonly given: Ed25519 | undefined
  private readonly keysMax: number
  private readonly signature = new Uint8Array(SIGNATURE_BYTES)
  private message = new Uint8Array(1024)

  constructor(given: Ed25519 | undefined, keysMax: number) {
    this.given = given
    this.keysMax = keysMax
  }

  /** `texts` are the possible signed texts, one for each host. */
  signerOf(keys: Keys, texts: ReadonlyArray<string>, signature: string): Signer | Promise<Signer> {
    const { backend } = this
    return backend?.sync === true
      ? this.signerNow(backend, keys, texts, signature)
      : this.signerLater(keys, texts, signature)
  }

  /** Nothing is awaited here, so all checks can share one buffer. A new one for each check would double the cost. */
  private signerNow(backend: Backend, keys: Keys, texts: ReadonlyArray<string>, signature: string): Signer {
    if (!decodeInto(signature, this.signature)) return "malformed"
    if (this.holdsNow(backend, () => this.keyOf(backend, keys.number, keys.current), texts)) return "current"
    for (const key of keys.retired()) if (this.holdsNow(backend, () => backend.prepare(key), texts)) return "retired"
    return "nobody"
  }

  private holdsNow(backend: Backend, keyOf: () => unknown, texts: ReadonlyArray<string>): boolean {
    try {
      const key = keyOf()
      for (const text of texts) {
        if (text.length * 3 > this.message.length) this.message = new Uint8Array(text.length * 3)
        const { written } = encoder.encodeInto(text, this.message)
        if (backend.verify(this.signature, this.message.subarray(0, written), key) === true) return true
      }
    } catch {
      // The 32 bytes are not a point of the curve. Runtimes refuse them at the import or at the verification.
    }
    return false
  }

  private async signerLater(keys: Keys, texts: ReadonlyArray<string>, text: string): Promise<Signer> {
    const backend = this.backend ?? (await this.choose())
    const signature = decodeText(text, SIGNATURE_BYTES)
    if (signature === null) return "malformed"
    const messages = texts.map((one) => encoder.encode(one))
    const holds = async (keyOf: () => unknown): Promise<boolean> => {
      try {
        const key = await keyOf()
        for (const message of messages) if ((await backend.verify(signature, message, key)) === true) return true
      } catch {
        // The 32 bytes are not a point of the curve.
      }
      return false
    }
    if (await holds(() => this.keyOf(backend, keys.number, keys.current))) return "current"
    for (const key of keys.retired()) if (await holds(() => backend.prepare(key))) return "retired"
    return "nobody"
  }

  private async choose(): Promise<Backend> {
    this.choosing ??= chooseBackend(this.given)
    this.backend = await this.choosing
    return this.backend
  }

  private keyOf(backend: Backend, number: number, publicKey: Uint8Array): unknown {
    const known = this.young.get(number)
    if (known !== undefined && sameBytes(known.bytes, publicKey)) return known.key
    const older = this.old.get(number)
    const entry =
      older !== undefined && sameBytes(older.bytes, publicKey)
        ? older
        : { bytes: publicKey.slice(), key: backend.prepare(publicKey) }
    if (this.young.size >= this.keysMax / 2) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(number, entry)
    return entry.key
  }
}
