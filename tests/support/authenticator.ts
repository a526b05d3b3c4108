/**
 * A security key in software: it makes passkeys (P-256, ES256) and signs with them according to Web Authentication.
 * `Otherwise` describes the deviations of a dishonest key, or of a browser at another site.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const ATTESTED = 0x40

export interface Passkey {
  /** The passkey's id, base64url. */
  readonly id: string
  readonly userHandle: string
  readonly key: KeyObject
  counter: number
}

export interface Otherwise {
  readonly origin?: string
  readonly rpId?: string
  readonly type?: string
  readonly challenge?: string
  /** False if the key did not verify the person. */
  readonly verified?: boolean
  readonly counter?: number
  /** An id to report instead of the real one. */
  readonly id?: string
  readonly userHandle?: string
  /** The attestation of a new passkey. `self` signs with the passkey itself. */
  readonly attestation?: "self" | readonly [format: string, statement: Buffer]
}

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64url")
const sha256 = (bytes: Uint8Array | string): Buffer => createHash("sha256").update(bytes).digest()

/** CBOR (RFC 8949), as far as passkeys need it. */
export const cbor = {
  head: (major: number, length: number): Buffer => {
    if (length < 24) return Buffer.from([(major << 5) | length])
    return length < 256
      ? Buffer.from([(major << 5) | 24, length])
      : Buffer.from([(major << 5) | 25, length >> 8, length & 0xff])
  },
  int: (value: number): Buffer => (value < 0 ? cbor.head(1, -1 - value) : cbor.head(0, value)),
  bytes: (value: Uint8Array): Buffer => Buffer.concat([cbor.head(2, value.length), value]),
  text: (value: string): Buffer => Buffer.concat([cbor.head(3, Buffer.byteLength(value)), Buffer.from(value)]),
  array: (items: ReadonlyArray<Buffer>): Buffer => Buffer.concat([cbor.head(4, items.length), ...items]),
  map: (pairs: ReadonlyArray<readonly [Buffer, Buffer]>): Buffer =>
    Buffer.concat([cbor.head(5, pairs.length), ...pairs.flat()])
}

/** The COSE_Key of a key on P-256. */
const coseOf = (key: KeyObject): Buffer => {
  const { x = "", y = "" } = key.export({ format: "jwk" })
  const { int, bytes, map } = cbor
  return map([
    [int(1), int(2)],
    [int(3), int(-7)],
    [int(-1), int(1)],
    [int(-2), bytes(Buffer.from(x, "base64url"))],
    [int(-3), bytes(Buffer.from(y, "base64url"))]
  ])
}

const clientData = (type: string, challenge: string, origin: string): string =>
  JSON.stringify({ type, challenge, origin, crossOrigin: false })

const authenticatorData = (rpId: string, flags: number, counter: number, attested: Buffer): Buffer => {
  const counted = Buffer.alloc(4)
  counted.writeUInt32BE(counter)
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), counted, attested])
}

const signature = (said: Buffer, data: string, key: KeyObject): Buffer =>
  sign("sha256", Buffer.concat([said, sha256(data)]), key)

const selfAttested = (said: Buffer, data: string, key: KeyObject): readonly [format: string, statement: Buffer] => [
  "packed",
  cbor.map([
    [cbor.text("alg"), cbor.int(-7)],
    [cbor.text("sig"), cbor.bytes(signature(said, data, key))]
  ])
]

interface Creation {
  readonly challenge: string
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string }
}

interface Asked {
  readonly challenge: string
  readonly rpId: string
}

export class Authenticator {
  readonly passkeys: Array<Passkey> = []
  readonly #origin: string

  /** `origin` is the origin of the page in the browser. */
  constructor(origin: string) {
    this.#origin = origin
  }

  /** Returns the text that the page's script writes into its form. */
  create(options: string, otherwise: Otherwise = {}): string {
    const { challenge, rp, user } = JSON.parse(options) as Creation
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const id = otherwise.id ?? base64url(randomBytes(32))
    const { counter = 0, verified = true, rpId = rp.id, origin = this.#origin, type = "webauthn.create" } = otherwise
    this.passkeys.push({ id, userHandle: otherwise.userHandle ?? user.id, key: privateKey, counter })
    const credential = Buffer.from(id, "base64url")
    const attested = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([credential.length >> 8, credential.length & 0xff]),
      credential,
      coseOf(publicKey)
    ])
    const flags = USER_PRESENT | ATTESTED | (verified ? USER_VERIFIED : 0)
    const said = authenticatorData(rpId, flags, counter, attested)
    const data = clientData(type, otherwise.challenge ?? challenge, origin)
    const { attestation: wanted = ["none", cbor.map([])] as const } = otherwise
    const [format, statement] = wanted === "self" ? selfAttested(said, data, privateKey) : wanted
    const attestation = cbor.map([
      [cbor.text("fmt"), cbor.text(format)],
      [cbor.text("attStmt"), statement],
      [cbor.text("authData"), cbor.bytes(said)]
    ])
    return JSON.stringify({
      id,
      clientDataJSON: base64url(data),
      attestationObject: base64url(attestation),
      transports: ["internal"]
    })
  }

  /** Signs with the newest passkey, or with the given one. A counter that is not 0 increases. */
  get(options: string, otherwise: Otherwise = {}, passkey = this.passkeys.at(-1)): string {
    if (passkey === undefined) throw new Error("The authenticator has no passkey")
    const asked = JSON.parse(options) as Asked
    const { verified = true, rpId = asked.rpId, origin = this.#origin, type = "webauthn.get" } = otherwise
    if (passkey.counter > 0) passkey.counter++
    const data = clientData(type, otherwise.challenge ?? asked.challenge, origin)
    const flags = USER_PRESENT | (verified ? USER_VERIFIED : 0)
    const said = authenticatorData(rpId, flags, otherwise.counter ?? passkey.counter, Buffer.alloc(0))
    return JSON.stringify({
      id: otherwise.id ?? passkey.id,
      clientDataJSON: base64url(data),
      authenticatorData: base64url(said),
      signature: base64url(signature(said, data, passkey.key)),
      userHandle: otherwise.userHandle ?? passkey.userHandle
    })
  }
}
