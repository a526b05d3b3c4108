/** The part `text` of a stored message, as JSON: everything that lists and answers need without the other parts. */
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
  /** Addresses of the header: all of `To`, and the first of `Reply-To`. A message of an earlier release has none. */
  to: Schema.Array(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  reply_to: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /**
   * Header fields that are not covered by the signature, if that is the sender's only proof. Answers ignore these
   * fields.
   */
  unsigned: Schema.Array(UnsignedField).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /**
   * The message's own id (RFC 5322), after those that it refers to, the nearest last. An answer refers to all of them.
   */
  thread_ids: Schema.Array(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
})
export type StoredText = typeof StoredText.Type

export const TEXT_PART = "text"
export const attachmentPart = (n: number): string => `a${n}`
