/**
 * A certificate of a name that does not exist, signed by itself, and its key: made anew for each run, in the DER of
 * X.509.
 */
import { generateKeyPairSync, sign } from "node:crypto"

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>): Buffer => der(0x30, ...parts)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"))
const time = (text: string): Buffer => der(0x18, Buffer.from(text))

const ED25519 = sequence(oid("2b6570"))
const COMMON_NAME = oid("550403")
const SUBJECT_ALTERNATIVE_NAME = oid("551d11")

const pem = (label: string, bytes: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(bytes).toString("base64")}\n-----END ${label}-----\n`

export const selfSigned = (name: string): { readonly key: string; readonly cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const subject = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))))
  const alternative = sequence(SUBJECT_ALTERNATIVE_NAME, der(0x04, sequence(der(0x82, Buffer.from(name)))))
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ED25519,
    subject,
    sequence(time("20200101000000Z"), time("21200101000000Z")),
    subject,
    publicKey.export({ format: "der", type: "spki" }),
    der(0xa3, sequence(alternative))
  )
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign(null, toSign, privateKey)]))
  return {
    key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    cert: pem("CERTIFICATE", sequence(toSign, ED25519, signature))
  }
}
