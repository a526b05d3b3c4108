/** Messages of 50 KB like those of shops: signed, with a text part and an HTML part. */
import { generateKeyPairSync } from "node:crypto"
import { dkimSign } from "mailauth/lib/dkim/sign.js"
import type { Zone } from "../../../tests/support/dns.ts"

export const SENDER = "shop.example"
const BYTES = 50 * 1024

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const PEM = privateKey.export({ format: "pem", type: "pkcs8" }).toString()
const KEY = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64")

export const ZONE: Zone = {
  [SENDER]: { TXT: ["v=spf1 ip4:127.0.0.1 -all"] },
  [`_dmarc.${SENDER}`]: { TXT: ["v=DMARC1; p=reject"] },
  [`s1._domainkey.${SENDER}`]: { TXT: [`v=DKIM1; k=ed25519; p=${KEY}`] }
}

const SENTENCE = "Thank you for your order of last week, which has left our house and is on its way to you. "
const SYLLABLES = [
  "lan",
  "ter",
  "no",
  "vi",
  "sta",
  "mor",
  "ke",
  "dal",
  "ri",
  "sen",
  "po",
  "lu",
  "ga",
  "bel",
  "ti",
  "ro",
  "am",
  "fe"
]
const WORDS = SYLLABLES.flatMap((first) => SYLLABLES.map((second) => `${first}${second}`))
const CELL = `<tr><td style="padding:4px 8px;color:#333">${SENTENCE}</td><td><a href="https://${SENDER}/orders/17">Look</a></td></tr>\r\n`

/** Text of many different words, as in real mail. The first few hundred words are stored for the search. */
const filled = (bytes: number): string => {
  const lines: Array<string> = []
  for (let size = 0, line = 0; size < bytes; line++) {
    const words = Array.from({ length: 9 }, (_, index) => WORDS[(line * 7 + index * 3) % WORDS.length])
    lines.push(`${words.join(" ")}.`)
    size += lines.at(-1)?.length ?? 0
  }
  return lines.join("\r\n")
}

let count = 0

/** A message with a sign-in code, or without one if `code` is `null`. */
export const message = async (to: string, code: string | null): Promise<Buffer> => {
  const number = ++count
  const said = code === null ? "Here is our news." : `Your verification code is ${code}.`
  const text = filled(BYTES / 5)
  const rows = CELL.repeat(Math.floor((BYTES * 0.77) / CELL.length))
  const raw = [
    `From: Shop <no-reply@${SENDER}>`,
    `To: ${to}`,
    `Subject: Message ${number}`,
    `Date: ${new Date().toUTCString()}`,
    `Message-ID: <${number}.${Date.now()}@${SENDER}>`,
    "MIME-Version: 1.0",
    'Content-Type: multipart/alternative; boundary="part"',
    "",
    "--part",
    "Content-Type: text/plain; charset=utf-8",
    "",
    said,
    text,
    "--part",
    "Content-Type: text/html; charset=utf-8",
    "",
    `<html><body><p>${said}</p><table>`,
    rows,
    "</table></body></html>",
    "--part--",
    ""
  ].join("\r\n")
  const key = { signingDomain: SENDER, selector: "s1", privateKey: PEM }
  const { signatures } = await dkimSign(raw, {
    canonicalization: "relaxed/relaxed",
    algorithm: "ed25519-sha256",
    signTime: new Date(),
    ...key,
    signatureData: [key]
  })
  return Buffer.from(signatures + raw)
}
