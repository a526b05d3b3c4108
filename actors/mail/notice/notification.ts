/**
 * Reads a notification of SES: about a mail that it received for us, or about one that we sent. The latter is a
 * feedback notification (`notificationType`) or an event of a configuration set (`eventType`). Other fields are
 * ignored.
 */
import { Result, Schema } from "effect"

const Texts = Schema.Array(Schema.String)
const Status = Schema.optionalKey(Schema.Struct({ status: Schema.String }))

const Sent = Schema.Struct({
  messageId: Schema.optionalKey(Schema.String),
  /** The sender in the envelope. */
  source: Schema.optionalKey(Schema.NullOr(Schema.String)),
  headers: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String }))),
  tags: Schema.optionalKey(Schema.Record(Schema.String, Texts))
})

const Receipt = Schema.Struct({
  recipients: Texts,
  spamVerdict: Status,
  virusVerdict: Status,
  spfVerdict: Status,
  dkimVerdict: Status,
  dmarcVerdict: Status,
  action: Schema.Struct({
    type: Schema.String,
    encoding: Schema.optionalKey(Schema.String),
    bucketName: Schema.optionalKey(Schema.String),
    objectKey: Schema.optionalKey(Schema.String)
  })
})
export type Receipt = typeof Receipt.Type

export const Notification = Schema.Struct({
  notificationType: Schema.optionalKey(Schema.String),
  eventType: Schema.optionalKey(Schema.String),
  mail: Sent,
  receipt: Schema.optionalKey(Receipt),
  content: Schema.optionalKey(Schema.String),
  bounce: Schema.optionalKey(
    Schema.Struct({
      bounceType: Schema.String,
      bounceSubType: Schema.optionalKey(Schema.String),
      bouncedRecipients: Schema.optionalKey(
        Schema.Array(
          Schema.Struct({
            emailAddress: Schema.optionalKey(Schema.String),
            status: Schema.optionalKey(Schema.String),
            diagnosticCode: Schema.optionalKey(Schema.String)
          })
        )
      )
    })
  ),
  complaint: Schema.optionalKey(
    Schema.Struct({
      complainedRecipients: Schema.optionalKey(
        Schema.Array(Schema.Struct({ emailAddress: Schema.optionalKey(Schema.String) }))
      ),
      complaintSubType: Schema.optionalKey(Schema.NullOr(Schema.String)),
      complaintFeedbackType: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
  ),
  reject: Schema.optionalKey(Schema.Struct({ reason: Schema.optionalKey(Schema.String) }))
})
export type Notification = typeof Notification.Type

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Notification))

/** `null` if the message is no notification. */
export const notificationIn = (message: string): Notification | null => {
  const result = decode(message)
  return Result.isSuccess(result) ? result.success : null
}
