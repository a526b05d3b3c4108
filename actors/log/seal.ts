/**
 * Secrets that an actor must keep (a webhook's HMAC key): sealed with AES-256-GCM under a key derived from the
 * service's seed, so that events, snapshots, replays and backups hold no secret in the clear.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"

const FORMAT = "sealed1"

export const isSealed = (text: string): boolean => text.startsWith(`${FORMAT}.`)

export class Sealer {
  private readonly key: Uint8Array

  /** `seed`: the 32 bytes of HUB_SERVER_KEY. */
  constructor(seed: Uint8Array) {
    this.key = new Uint8Array(hkdfSync("sha256", seed, new Uint8Array(0), "hub sealed secrets", 32))
  }

  /** `purpose` binds the box to its place: it opens nowhere else. */
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
    const decipher = createDecipheriv("aes-256-gcm", this.key, Buffer.from(nonce, "base64url"))
    decipher.setAAD(Buffer.from(purpose))
    decipher.setAuthTag(Buffer.from(tag, "base64url"))
    return Buffer.concat([decipher.update(Buffer.from(box, "base64url")), decipher.final()]).toString("utf8")
  }
}
