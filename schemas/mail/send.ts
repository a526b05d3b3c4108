/** The fields of mail that an agent sends (spec 4.9; contract 20). */
import { Schema } from "effect"
import { Storable, matches } from "../plain-text.ts"
import { addressee } from "./addresses.ts"
import { MAIL_LIMITS } from "./limits.ts"

const { recipients_max, subject_max_chars, send_body_max_bytes, send_attachments_max } = MAIL_LIMITS

const FILENAME_MAX_CHARS = 200
const TYPE_MAX_CHARS = 100
const TYPE = /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/

/** No control characters, and no line breaks of any script. */
const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u
const oneLine = matches(ONE_LINE, "must be one line")

const Recipient = Storable.check(
  Schema.makeFilter(
    (text: string) => addressee(text) !== null || "must be an address, or `Name <address>`, in one line"
  )
)

const Recipients = Schema.Array(Recipient).check(
  Schema.isMaxLength(recipients_max, { message: `must be at most ${recipients_max} recipients` })
)

const Body = Storable.check(
  Schema.makeFilter(
    (text: string) =>
      Buffer.byteLength(text) <= send_body_max_bytes || `must be at most ${send_body_max_bytes} bytes of UTF-8`,
    { bounds: { maximum: send_body_max_bytes } }
  )
)

/** A mailbox by its number or its address. */
const Box = Schema.Union([Schema.Int, Schema.String])

const SendAttachment = Schema.Struct({
  filename: Storable.check(
    Schema.isBetweenCodePoints(1, FILENAME_MAX_CHARS, { message: `must be 1 to ${FILENAME_MAX_CHARS} characters` }),
    oneLine
  ),
  content_type: Schema.optionalKey(
    Schema.String.check(
      Schema.isMaxLength(TYPE_MAX_CHARS, { message: "must be a type such as application/pdf" }),
      Schema.isPattern(TYPE, { message: "must be a type such as application/pdf" })
    )
  ),
  content_base64: Schema.String
})

const Attachments = Schema.Array(SendAttachment).check(
  Schema.isMaxLength(send_attachments_max, { message: `must be at most ${send_attachments_max} attachments` })
)

export const SendMail = Schema.Struct({
  from: Box,
  to: Recipients,
  cc: Schema.optionalKey(Recipients),
  bcc: Schema.optionalKey(Recipients),
  subject: Storable.check(
    Schema.isMaxCodePoints(subject_max_chars, { message: `must be at most ${subject_max_chars} characters` }),
    oneLine
  ),
  text: Schema.optionalKey(Schema.NullOr(Body)),
  html: Schema.optionalKey(Schema.NullOr(Body)),
  reply_to: Schema.optionalKey(Schema.NullOr(Box)),
  /** `em_<id>` of a message that you received. */
  in_reply_to: Schema.optionalKey(Schema.NullOr(Schema.String)),
  attachments: Schema.optionalKey(Attachments)
})
export type SendMail = typeof SendMail.Type

/** The answer to a message that you received (contract 22). */
export const ReplyMail = Schema.Struct({
  text: Schema.optionalKey(Schema.NullOr(Body)),
  html: Schema.optionalKey(Schema.NullOr(Body)),
  /** True to answer everybody in the message, not only its sender. */
  all: Schema.optionalKey(Schema.Boolean),
  attachments: Schema.optionalKey(Attachments)
})
export type ReplyMail = typeof ReplyMail.Type
