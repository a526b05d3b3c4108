/**
 * Seals values that must not be readable in events, snapshots, replays and backups. Secrets that an actor must keep (a
 * webhook's HMAC key) are sealed under a key derived from the service's seed. A person's own data is sealed under a key
 * of that account (actors/kit/account-keys.ts). AES-256-GCM.
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

const FORMAT = "sealed1"
/** The full length of the tag. A shorter one could be guessed by somebody who submits changed boxes. */
const TAG_BYTES = 16

export const isSealed = (text: string): boolean => text.startsWith(`${FORMAT}.`)

const derived = (seed: Uint8Array, use: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync("sha256", seed, new Uint8Array(0), use, 32)))

export class Sealer {
  // Key objects and not bytes: with bytes a mark costs six times as much, and a message has hundreds of marks.
  private readonly key: KeyObject
  private readonly marks: KeyObject

  /**
   * `seed`: the 32 bytes of HUB_SERVER_KEY, or of another secret. `use`: separates the keys that are derived from it.
   */
  constructor(seed: Uint8Array, use = "hub sealed secrets") {
    this.key = derived(seed, use)
    this.marks = derived(seed, `${use}, marks`)
  }

  /** A keyed hash, in hex. Equal texts have equal marks, and nobody without the key can test guesses. */
  mark(text: string, purpose: string): string {
    return createHmac("sha256", this.marks).update(`${purpose}\n${text}`).digest("hex")
  }

  /** `purpose` binds the box to its place. It opens with the same purpose only. */
  seal(secret: string, purpose: string): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv("aes-256-gcm", this.key, nonce)
    cipher.setAAD(Buffer.from(purpose))
    const box = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()])
    return [
      FORMAT,
      nonce.toString("base64url"),
      box.toString("base64url"),
      cipher.getAuthTag().toString("base64url")
    ].join(".")
  }

  open(sealed: string, purpose: string): string {
    const [format, nonce = "", box = "", tag = ""] = sealed.split(".")
    if (format !== FORMAT) throw new Error("This is no sealed secret")
    const decipher = createDecipheriv("aes-256-gcm", this.key, Buffer.from(nonce, "base64url"), {
      authTagLength: TAG_BYTES
    })
    decipher.setAAD(Buffer.from(purpose))
    decipher.setAuthTag(Buffer.from(tag, "base64url"))
    return Buffer.concat([decipher.update(Buffer.from(box, "base64url")), decipher.final()]).toString("utf8")
  }
}
