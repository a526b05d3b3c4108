/** Messages of Amazon SNS over HTTP: checks their form, and that the provider has signed them. Pure. */
import { type KeyObject, verify } from "node:crypto"
import { Schema } from "effect"

const MESSAGE_ID_MAX_CHARS = 200
const TOPIC_MAX_CHARS = 512
const SUBJECT_MAX_CHARS = 1000
const SIGNATURE_MAX_CHARS = 2048
const URL_MAX_CHARS = 4096

/**
 * The signed string has a line for each name and value. A line break in a value would let one signed message be read as
 * another. Only `Message`, which comes first, may have line breaks: the parts after it are recognized from the end.
 */
const line = (max: number) =>
  Schema.String.check(
    Schema.isPattern(/^[^\r\n]+$/, { message: "must be one line" }),
    Schema.isMaxLength(max, { message: `must be at most ${max} characters` })
  )

/** The precision is a tenth of a microsecond, as the provider writes it. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,7})?Z$/

export const SnsMessage = Schema.Struct({
  Type: Schema.Literals(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: line(MESSAGE_ID_MAX_CHARS),
  TopicArn: line(TOPIC_MAX_CHARS),
  Subject: Schema.optionalKey(Schema.NullOr(line(SUBJECT_MAX_CHARS))),
  Message: Schema.String,
  Timestamp: Schema.String.check(
    Schema.isPattern(TIME, { message: "must be a time such as 2026-11-24T08:00:00.000Z" }),
    Schema.makeFilter((text: string) => !Number.isNaN(Date.parse(text)) || "must be a time that there is")
  ),
  SignatureVersion: line(SIGNATURE_MAX_CHARS),
  Signature: line(SIGNATURE_MAX_CHARS),
  SigningCertURL: line(URL_MAX_CHARS),
  Token: Schema.optionalKey(Schema.NullOr(line(URL_MAX_CHARS))),
  SubscribeURL: Schema.optionalKey(Schema.NullOr(line(URL_MAX_CHARS))),
  UnsubscribeURL: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type SnsMessage = typeof SnsMessage.Type

type Signed = "Message" | "MessageId" | "Subject" | "SubscribeURL" | "Timestamp" | "Token" | "TopicArn" | "Type"

const OF_NOTIFICATION: ReadonlyArray<Signed> = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
const OF_SUBSCRIPTION: ReadonlyArray<Signed> = [
  "Message",
  "MessageId",
  "SubscribeURL",
  "Timestamp",
  "Token",
  "TopicArn",
  "Type"
]

/** Names and values in turns, each followed by a line feed. Missing fields are left out. */
const stringToSign = (message: SnsMessage): string =>
  (message.Type === "Notification" ? OF_NOTIFICATION : OF_SUBSCRIPTION)
    .map((name) => {
      const value = message[name]
      return value === undefined || value === null ? "" : `${name}\n${value}\n`
    })
    .join("")

const HASHES: ReadonlyMap<string, string> = new Map([
  ["1", "RSA-SHA1"],
  ["2", "RSA-SHA256"]
])

export const knowsVersion = ({ SignatureVersion }: SnsMessage): boolean => HASHES.has(SignatureVersion)

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

export const isSignedBy = (message: SnsMessage, key: KeyObject): boolean => {
  const hash = HASHES.get(message.SignatureVersion)
  if (hash === undefined || !BASE64.test(message.Signature)) return false
  return verify(hash, Buffer.from(stringToSign(message), "utf8"), key, Buffer.from(message.Signature, "base64"))
}
