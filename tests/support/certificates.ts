/** A certificate authority of the tests, and its certificates, in the DER of X.509. They are new in each run. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { isIPv4 } from "node:net"

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>): Buffer => der(0x30, ...parts)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"))
const time = (at: Date): Buffer => der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\.\d+Z$/g, "")}Z`))
const pem = (bytes: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${(
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,64}/g) ?? []
  ).join("\n")}\n-----END CERTIFICATE-----\n`

const SHA256_RSA = sequence(oid("2a864886f70d01010b"), der(0x05))
const COMMON_NAME = oid("550403")
const SUBJECT_ALTERNATIVE_NAME = oid("551d11")
const BASIC_CONSTRAINTS = oid("551d13")
const TRUE = Buffer.from([0x01, 0x01, 0xff])

const named = (name: string): Buffer => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))))
const alternative = (name: string): Buffer =>
  isIPv4(name) ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name))

const DAY_MS = 86_400_000

interface Wanted {
  readonly names: ReadonlyArray<string>
  /** The validity in days from today. */
  readonly from?: number
  readonly to?: number
  readonly bits?: number
  readonly ca?: boolean
}

export interface Issued {
  readonly cert: string
  readonly key: string
  readonly privateKey: KeyObject
}

interface Issuer {
  readonly name: string
  readonly privateKey: KeyObject
}

let serial = 1

const issued = (by: Issuer | null, { names, from = -1, to = 30, bits = 2048, ca = false }: Wanted): Issued => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: bits })
  const [name = ""] = names
  const at = (days: number) => time(new Date(Date.now() + days * DAY_MS))
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial++])),
    SHA256_RSA,
    named(by?.name ?? name),
    sequence(at(from), at(to)),
    named(name),
    publicKey.export({ format: "der", type: "spki" }),
    der(
      0xa3,
      sequence(
        sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, ca ? sequence(TRUE) : sequence())),
        ...(ca ? [] : [sequence(SUBJECT_ALTERNATIVE_NAME, der(0x04, sequence(...names.map(alternative))))])
      )
    )
  )
  const signature = sign("sha256", toSign, by?.privateKey ?? privateKey)
  return {
    cert: pem(sequence(toSign, SHA256_RSA, der(0x03, Buffer.concat([Buffer.from([0]), signature])))),
    key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    privateKey
  }
}

export interface Authority extends Issued {
  readonly issue: (wanted: Wanted) => Issued
}

export const authority = (name: string): Authority => {
  const own = issued(null, { names: [name], ca: true })
  return { ...own, issue: (wanted) => issued({ name, privateKey: own.privateKey }, wanted) }
}
