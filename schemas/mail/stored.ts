/** The part `text` of a stored message, as JSON: the content that can be read without the other parts. */
import { Effect, Schema } from "effect"
import { Mail } from "./records.ts"

const { date, cc, text, links, codes, attachments, attachments_dropped, truncated, parsed } = Mail.fields

const UnsignedField = Schema.Literals(["reply-to", "to", "cc"])
export type UnsignedField = typeof UnsignedField.Type

export const StoredText = Schema.Struct({
  date,
  cc,
  text,
  html: Schema.NullOr(Schema.String),
  links,
  codes,
  attachments,
  attachments_dropped,
  truncated,
  parsed,
  /** Addresses of its header: each in `To`, and the first in `Reply-To`. A message of an earlier release has none. */
  to: Schema.Array(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  reply_to: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** The part of these that the sender's only proof, a signature, does not cover: an answer does not go by them. */
  unsigned: Schema.Array(UnsignedField).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** Its own id (RFC 5322) and those that it follows from, the nearest last: what an answer follows from. */
  thread_ids: Schema.Array(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
})
export type StoredText = typeof StoredText.Type

/** Names of a message's parts. */
export const TEXT_PART = "text"
export const attachmentPart = (n: number): string => `a${n}`
