/**
 * The agent that is being read from a directory. One object is used for all agents in turn, so that no garbage has to
 * be collected.
 */
import { PUBLIC_KEY_BYTES } from "../../../schemas/signing/ed25519.ts"
import { decodeBase64 } from "./base64.ts"
import { BOUNDS } from "./bounds.ts"
import { latin, names, sameUpTo } from "./bytes.ts"
import { HANDLE } from "./identity.ts"
import { malformed } from "./malformed.ts"

const URL_SCHEMES = names("https://", "http://")

export interface RetiredKey {
  readonly bytes: Uint8Array
  at: number
}

export class AgentEntry {
  number = 0
  readonly numberText = new Uint8Array(BOUNDS.numberDigitsMax + 3)
  numberLength = 0
  readonly key = new Uint8Array(PUBLIC_KEY_BYTES)
  hasKey = false
  readonly handle = new Uint8Array(32)
  handleLength = 0
  /** Indexes into the lists of possible values. */
  status = 0
  moderation = 0
  trust = 0
  reputation = 0
  /** The addresses of the profile and of the identity. A length of -1 means that there is none. */
  readonly urls = [new Uint8Array(BOUNDS.urlChars), new Uint8Array(BOUNDS.urlChars)] as const
  readonly urlLengths = [-1, -1]
  /** Only the first `retiredKept` elements belong to this agent. */
  readonly retiredKeys: Array<RetiredKey> = []
  retiredKept = 0

  begin(number: number, bytes: Uint8Array, length: number): void {
    this.number = number
    for (let at = 0; at < length; at++) this.numberText[at] = bytes[at] as number
    this.numberLength = length
    this.hasKey = false
    this.handleLength = 0
    this.moderation = 0
    this.urlLengths[0] = -1
    this.urlLengths[1] = -1
    this.retiredKept = 0
  }

  checkId(bytes: Uint8Array, length: number): void {
    if (length !== this.numberLength || !sameUpTo(this.numberText, length, bytes))
      throw malformed("an agent's id is not its number")
  }

  readKey(bytes: Uint8Array, length: number): void {
    if (!decodeBase64(bytes, length, this.key)) throw malformed("a key is none")
    this.hasKey = true
  }

  readHandle(bytes: Uint8Array, length: number): void {
    if (length > this.handle.length || !HANDLE.test(latin(bytes, 0, length))) throw malformed("a handle is none")
    for (let at = 0; at < length; at++) this.handle[at] = bytes[at] as number
    this.handleLength = length
  }

  /** Websites may show the address as a link, so only http and https addresses with valid characters are accepted. */
  readUrl(which: 0 | 1, bytes: Uint8Array, length: number): void {
    if (!startsAsUrl(bytes, length)) throw malformed("an address is none")
    const into = this.urls[which]
    for (let at = 0; at < length; at++) {
      if ((bytes[at] as number) < 33) throw malformed("an address is none")
      into[at] = bytes[at] as number
    }
    this.urlLengths[which] = length
  }

  /** Keeps the newest retired keys of an agent. A signature with an older one gets the reason `bad_signature`. */
  keepRetired(key: Uint8Array, retiredAt: number): void {
    let at = this.retiredKept
    if (at < BOUNDS.retiredKeysPerAgent) this.retiredKept++
    else {
      at = 0
      for (let index = 1; index < BOUNDS.retiredKeysPerAgent; index++) {
        if ((this.retiredKeys[index] as RetiredKey).at < (this.retiredKeys[at] as RetiredKey).at) at = index
      }
      if ((this.retiredKeys[at] as RetiredKey).at >= retiredAt) return
    }
    const kept = (this.retiredKeys[at] ??= { bytes: new Uint8Array(PUBLIC_KEY_BYTES), at: 0 })
    kept.bytes.set(key)
    kept.at = retiredAt
  }
}

const startsAsUrl = (bytes: Uint8Array, length: number): boolean => {
  for (const scheme of URL_SCHEMES) if (length > scheme.length && sameUpTo(scheme, scheme.length, bytes)) return true
  return false
}
