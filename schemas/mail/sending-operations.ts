/**
 * Sending mail. Kind `mail_sending`, whose id is `<mail>-<n>`: a message to one of its recipients, in the queue. Kind
 * `mail_recipient`, whose id is a keyed hash of an address: whether mail may be sent to it. Kind `mail_service`, whose
 * id is `service`: counts for all agents.
 */
import { Schema } from "effect"
import { BlobRef } from "../blob/operations.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { MailAttachment } from "./records.ts"
import { SendingStatus, SentSummary } from "./sent.ts"

export const SERVICE_ID = "service"

/** A message for the mailer to send. Its content is in the store, sealed under `key`. */
export const Sending = Schema.Struct({
  mailbox: Schema.Int,
  /** Names with addresses as they were given, each address once. */
  to: Schema.Array(Schema.String),
  cc: Schema.Array(Schema.String),
  bcc: Schema.Array(Schema.String),
  reply_to: Schema.NullOr(Schema.String),
  subject: Schema.String,
  excerpt: Schema.String,
  attachments: Schema.Int,
  /** Absent from an earlier release's edge. */
  files: Schema.optionalKey(Schema.Array(MailAttachment)),
  in_reply_to: Schema.NullOr(Schema.String),
  /** Ids of the earlier messages of the conversation, the newest last, without angle brackets. */
  references: Schema.Array(Schema.String),
  words: Schema.Array(Schema.String),
  content: BlobRef,
  key: Schema.String
})
export type Sending = typeof Sending.Type

export const SendingState = Schema.Struct({
  status: Schema.Literals(["active", "suspended", "paused"]),
  per_hour: Schema.Int,
  per_day: Schema.Int,
  used_hour: Schema.Int,
  used_day: Schema.Int,
  first_week_until: Schema.NullOr(Schema.String),
  /** 0 to 1, over the last `window_days`. Bounces at the service's own domains do not count. */
  bounce_rate: Schema.Finite
})
export type SendingState = typeof SendingState.Type

export const sendingOfMailerOperations = operationsOf("mailer", {
  "mailer.sending": op({ input: Nothing, output: SendingState, askedBy: ["edge"] }),
  /**
   * Checks the conditions of `mailer.send` before anything is stored, except the service's daily limit. Refuses like
   * it.
   */
  "mailer.may_send": op({
    input: Schema.Struct({ mailbox: Schema.Int, recipients: Schema.Array(Schema.String) }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /**
   * Refused `email_sender_not_yours`, `email_domain_not_ready`, `email_owner_rule`, `email_sending_suspended`,
   * `email_paused`, `email_recipient_suppressed`, `email_quota`, `email_instance_quota`.
   */
  "mailer.send": op({ input: Sending, output: Schema.Struct({ mail: Schema.Int }), askedBy: ["edge"] }),
  /**
   * A recipient bounced or complained. `own` is true for an address of the service's own domains. The event counts for
   * the service too.
   */
  "mailer.count": op({
    input: Schema.Struct({
      type: Schema.Literals(["bounced", "complained"]),
      own: Schema.optionalKey(Schema.Boolean)
    }),
    output: Nothing,
    askedBy: []
  }),
  /** An operator lets the agent send again and resets its counts. */
  "mailer.reinstate": op({ input: Nothing, output: Schema.Struct({ changed: Schema.Boolean }), askedBy: [] })
})

/** The outcome of an attempt, in this service's words, never another server's. */
export const SendOutcome = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["sent", "delivered"]) }),
  /** The address does not exist or accepts no mail. */
  Schema.Struct({
    type: Schema.Literal("bounced"),
    reason: Schema.String,
    /** True for an address of the service's own domains, which may exist later. */
    own: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.Struct({
    type: Schema.Literal("passing"),
    reason: Schema.String,
    /** The earliest next attempt, in seconds. */
    retry_after: Schema.optionalKey(Schema.Number)
  }),
  /** `failed`: certainly not accepted. `unknown`: no answer came. */
  Schema.Struct({ type: Schema.Literals(["failed", "unknown"]), reason: Schema.String })
])
export type SendOutcome = typeof SendOutcome.Type

/** A later report about a message that another server has accepted. */
export const SendingReport = Schema.Struct({
  type: Schema.Literals(["bounced", "complained", "delivered", "failed"]),
  reason: Schema.String,
  /** Ids of the recipients that the notice names, and for which it counts. Absent if it names none. */
  of: Schema.optionalKey(Schema.Array(Schema.String))
})
export type SendingReport = typeof SendingReport.Type

export const SendJob = Schema.Struct({
  mail: Schema.Int,
  /** Only the address, without a name. */
  to: Schema.String,
  summary: SentSummary,
  references: Schema.Array(Schema.String),
  /** Without angle brackets. */
  rfc_id: Schema.String,
  /** The value of the header `X-Hub-Agent`. */
  agent: Schema.String,
  /** Unix ms. */
  at: Schema.Number,
  content: BlobRef,
  key: Schema.String,
  /** The reason why it must not be sent now (`later`), or not any more (`over`); `null` if it may be sent. */
  blocked: Schema.NullOr(Schema.Struct({ type: Schema.Literals(["later", "over"]), reason: Schema.String }))
})
export type SendJob = typeof SendJob.Type

export const sendingOperations = operationsOf("mail_sending", {
  /**
   * Begins the next attempt. `attempt` is `null` if none was begun. `lost` means that an attempt was begun before, and
   * its outcome is unknown. Ask again with `repeatable`: if true, another attempt begins; if false, the sending ends
   * with an unknown outcome.
   */
  "mail_sending.take": op({
    input: Schema.Struct({ repeatable: Schema.NullOr(Schema.Boolean) }),
    output: Schema.Struct({ attempt: Schema.NullOr(Schema.Int), lost: Schema.Boolean }),
    askedBy: ["mail"]
  }),
  /** The sender and the domain whose shares the attempt uses. Refused `not_found` if the mailbox is closed. */
  "mail_sending.share": op({
    input: Nothing,
    output: Schema.Struct({ agent: Schema.String, domain: Schema.String }),
    askedBy: ["mail"]
  }),
  /** The job of an attempt that has begun. Refused `not_found` if none has, or the mailbox is closed. */
  "mail_sending.job": op({ input: Nothing, output: SendJob, askedBy: ["mail"] }),
  "mail_sending.settle": op({
    input: Schema.Struct({ attempt: Schema.Int, outcome: SendOutcome }),
    output: Nothing,
    askedBy: ["mail"]
  }),
  "mail_sending.report": op({ input: SendingReport, output: Nothing, askedBy: ["mail"] }),
  /** The recipient has unsubscribed. */
  "mail_sending.unsubscribe": op({ input: Nothing, output: Nothing, askedBy: ["mail"] }),
  "mail_sending.look": op({
    input: Nothing,
    output: Schema.Struct({ status: SendingStatus, detail: Schema.NullOr(Schema.String), unknown: Schema.Boolean }),
    askedBy: []
  }),
  "mail_sending.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})

export const SUPPRESSIONS = ["bounced", "complained", "unsubscribed"] as const

export const recipientOperations = operationsOf("mail_recipient", {
  /** `sealed` is the address in sealed form. */
  "mail_recipient.suppress": op({
    input: Schema.Struct({ reason: Schema.Literals(SUPPRESSIONS), sealed: Schema.String }),
    output: Nothing,
    askedBy: []
  }),
  "mail_recipient.look": op({
    input: Nothing,
    output: Schema.Struct({ suppressed: Schema.Boolean }),
    askedBy: []
  }),
  "mail_recipient.lift": op({ input: Nothing, output: Schema.Struct({ changed: Schema.Boolean }), askedBy: [] })
})

const Rates = Schema.Struct({
  paused_at: Schema.NullOr(Schema.String),
  used_day: Schema.Int,
  recipients: Schema.Int,
  bounced: Schema.Int,
  complained: Schema.Int
})

export const serviceOperations = operationsOf("mail_service", {
  "mail_service.look": op({ input: Nothing, output: Rates, askedBy: ["mail"] }),
  "mail_service.pause": op({ input: Nothing, output: Schema.Struct({ changed: Schema.Boolean }), askedBy: [] }),
  "mail_service.resume": op({ input: Nothing, output: Schema.Struct({ changed: Schema.Boolean }), askedBy: [] }),
  /** Suppressed addresses, newest first. */
  "mail_service.suppressed": op({
    input: Schema.Struct({ page: Schema.Int, per_page: Schema.Int }),
    output: paged(Schema.Struct({ address: Schema.String, reason: Schema.String, since: Schema.String })),
    askedBy: []
  }),
  /** Lifts the suppression of an address. Refused `not_found` if it is not suppressed. */
  "mail_service.lift": op({ input: Schema.Struct({ address: Schema.String }), output: Nothing, askedBy: [] })
})

export const sendingQueries = {
  /** Suppressions, newest first. */
  mail_suppression_rows: query({
    input: Schema.Struct({ page: Schema.Int, per_page: Schema.Int }),
    output: paged(
      Schema.Struct({ id: Schema.String, reason: Schema.String, since: Schema.String, sealed: Schema.String })
    )
  })
}
