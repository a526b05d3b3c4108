/**
 * Kind `mailer`, whose id is the hub id of an agent: the agent's mail. Kind `mail_address`, whose id is `addressId`:
 * the owner of an address, who never changes. Kind `mailbox`, whose id is a number. Kind `mail`, whose id is a number:
 * one message.
 *
 * The content of mail is sealed under the mailbox's key in the log and in tables. Processes open it only in memory.
 */
import { Schema } from "effect"
import { Sealed } from "../secret/sealed.ts"
import { BlobRef } from "../blob/operations.ts"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { ListedMail, Mailbox, MailRules, MailSummary } from "./records.ts"
import { ListedSent, SentSummary } from "./sent.ts"
import { MailTag } from "./tags.ts"

const { block_senders, allow_senders, require_dmarc, only_codes } = MailRules.fields
const ChangedRules = Schema.Struct({
  block_senders: Schema.optionalKey(block_senders),
  allow_senders: Schema.optionalKey(allow_senders),
  require_dmarc: Schema.optionalKey(require_dmarc),
  only_codes: Schema.optionalKey(only_codes)
})

const ByAgent = Schema.Struct({ agent: Schema.String })

export const mailerOperations = operationsOf("mailer", {
  "mailer.mailboxes": op({ input: Nothing, output: Schema.Array(Schema.Int), askedBy: ["edge"] }),
  /**
   * Refused `email_mailbox_exists`, `email_mailbox_limit`, `email_address_taken`, `email_owner_rule`,
   * `email_domain_unknown`, `email_domain_not_yours`, `email_domain_not_ready`.
   */
  "mailer.open_mailbox": op({
    input: Schema.Struct({
      local_part: Schema.String,
      domain: Schema.String,
      label: Schema.NullOr(Schema.String)
    }),
    output: Schema.Struct({ mailbox: Schema.Int }),
    askedBy: ["edge"]
  }),
  /** Refused `not_found`. */
  "mailer.close_mailbox": op({ input: Schema.Struct({ mailbox: Schema.Int }), output: Nothing, askedBy: ["edge"] }),
  /** Closes the mailboxes of a domain that belong to this claim or an earlier one. */
  "mailer.close_domain": op({
    input: Schema.Struct({ domain: Schema.String, claim: Schema.Int }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /** Answers whether the mailer has written to one of these recipients before. */
  "mailer.wrote_to": op({
    input: Schema.Struct({ recipients: Schema.Array(Schema.String) }),
    output: Schema.Boolean,
    askedBy: []
  }),
  /** Counts the agent's open mailboxes at a domain. */
  "mailer.count_of": op({ input: Schema.Struct({ domain: Schema.String }), output: Schema.Int, askedBy: [] }),
  /** The agent's account has ended. */
  "mailer.close_all": op({ input: Nothing, output: Nothing, askedBy: [] }),
  /** The agent was banned at `at` (Unix ms). Its mailboxes are closed `banned_kept_seconds` later. */
  "mailer.banned": op({ input: Schema.Struct({ at: Schema.Number }), output: Nothing, askedBy: [] }),
  "mailer.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})

export const addressOperations = operationsOf("mail_address", {
  /** `mailbox` is `null` while the address is closed. Refused `not_found`. */
  "mail_address.look": op({
    input: Nothing,
    output: Schema.Struct({
      agent: Schema.String,
      mailbox: Schema.NullOr(Schema.Int),
      /** True for an address of an agent's own domain. Ask the domain's actor if it is still the agent's. */
      custom: Schema.Boolean
    }),
    askedBy: ["mail"]
  })
})

/** A part of a stored message. It is stored sealed and in pieces. */
export const MailPart = Schema.Struct({
  /** `text` is the parsed text as JSON. `a1` and so on are attachments. */
  name: Schema.String,
  /** The bytes in sealed form. */
  size: Schema.Int
})
export type MailPart = typeof MailPart.Type

/** A message as the mail process has sealed it. */
export const SealedMail = Schema.Struct({
  /** `MailEnvelope`, under the mailbox's key. */
  envelope: Sealed,
  /** The key of the message's parts, sealed under the mailbox's key. */
  key: Sealed,
  parts: Schema.Array(MailPart),
  /** Keyed hashes under the mailbox's key: of the message's words, of its own id, and of the ids that it answers. */
  words: Schema.Array(Schema.String),
  own: Schema.NullOr(Schema.String),
  follows: Schema.Array(Schema.String),
  /** True if the message has a code or a link for signing in. */
  lets_in: Schema.Boolean
})
export type SealedMail = typeof SealedMail.Type

/** The sealed fields of a message that lists show. */
export const MailEnvelope = MailSummary
export type MailEnvelope = MailSummary

/** The sender of a received message. Each domain has a share of the messages that a mailbox accepts in a day. */
export const InboundSender = Schema.Struct({
  /** A keyed hash of the sender's domain under the mailbox's key. It is another hash if DMARC did not pass. */
  domain: Schema.String,
  /** True if the mailbox's `allow_senders` names the sender. */
  allowed: Schema.Boolean,
  /** The recipient ids of the sender's address if DMARC passed, with and without its tag. */
  proven: Schema.Array(Schema.String)
})
export type InboundSender = typeof InboundSender.Type

export const mailboxOperations = operationsOf("mailbox", {
  /** The mailbox as its agent sees it. Refused `not_found` for any other agent, and for a closed mailbox. */
  "mailbox.look": op({ input: ByAgent, output: Mailbox, askedBy: ["edge"] }),
  "mailbox.change": op({
    input: Schema.Struct({
      agent: Schema.String,
      rules: Schema.optionalKey(ChangedRules),
      label: Schema.optionalKey(Schema.NullOr(Schema.String))
    }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /** The tags that have not expired, newest first. With `mark`, only that tag. */
  "mailbox.tags": op({
    input: Schema.Struct({ agent: Schema.String, mark: Schema.NullOr(Schema.String) }),
    output: Schema.Array(MailTag),
    askedBy: ["edge"]
  }),
  /** If `tag` is `null`, a random tag is made. Refused `validation_error`. */
  "mailbox.make_tag": op({
    input: Schema.Struct({
      agent: Schema.String,
      tag: Schema.NullOr(Schema.String),
      expires_in_seconds: Schema.NullOr(Schema.Int)
    }),
    output: Schema.Struct({ mark: Schema.String }),
    askedBy: ["edge"]
  }),
  /** Refused `not_found`. */
  "mailbox.end_tag": op({
    input: Schema.Struct({ agent: Schema.String, tag: Schema.String }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /**
   * Answers whether the mailbox accepts one more message now. `full` is the reason if it does not. Refused `not_found`
   * for a closed mailbox, for an expired tag, and if the agent is banned or deleted.
   */
  "mailbox.accepts": op({
    input: Schema.NullOr(Schema.Struct({ tag: Schema.String })),
    output: Schema.Struct({
      agent: Schema.String,
      address: Schema.String,
      rules: MailRules,
      full: Schema.NullOr(Schema.Literals(["day", "bytes"])),
      /** Bytes in the mailbox. Nodes of an earlier release do not send it. */
      stored: Schema.optionalKey(Schema.Int)
    }),
    askedBy: ["mail"]
  }),
  /**
   * `number` is the number under which the message's parts are stored. `mail` in the answer is another number if the
   * message was received before.
   */
  "mailbox.receive": op({
    input: Schema.Struct({
      number: Schema.Int,
      /** The message's size, or the bytes that are stored of it if these are more. */
      bytes: Schema.Int,
      mail: SealedMail,
      /** Absent from an earlier release's mail process. */
      sender: Schema.optionalKey(InboundSender),
      /** The sender's address, sealed for the journal. Mail processes of an earlier release do not send it. */
      from: Schema.optionalKey(Sealed)
    }),
    output: Schema.Struct({ mail: Schema.Int }),
    askedBy: ["mail"]
  }),
  /**
   * A message that the mailbox's rules drop. `sealed` holds its sender and the rule. Refused `rate_limited` if there
   * are too many, which affects no other message.
   */
  "mailbox.drop": op({ input: Schema.Struct({ sealed: Schema.String }), output: Nothing, askedBy: ["mail"] }),
  /** The bytes of all mail in the mailbox. */
  "mailbox.stored": op({ input: Nothing, output: Schema.Int, askedBy: [] }),
  "mailbox.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})

/** The content that completes a notification about mail: a received message, or the recipients of a sent one. */
export const NotifiedMail = Schema.Union([
  Schema.Struct({ box: Schema.Literal("inbox"), summary: MailSummary }),
  Schema.Struct({ box: Schema.Literal("sent"), summary: SentSummary })
])
export type NotifiedMail = typeof NotifiedMail.Type

export const mailOperations = operationsOf("mail", {
  /** The message as its agent sees it. `key` opens its parts, or its content. */
  "mail.look": op({
    input: ByAgent,
    output: Schema.Union([
      Schema.Struct({
        box: Schema.Literal("inbox"),
        mail: ListedMail,
        mailbox: Schema.Int,
        key: Schema.String,
        parts: Schema.Array(MailPart)
      }),
      Schema.Struct({ box: Schema.Literal("sent"), mail: ListedSent, key: Schema.String, content: BlobRef })
    ]),
    askedBy: ["edge"]
  }),
  /** A sent message, with the content of its headers. Refused `not_found`. */
  "mail.outgoing": op({
    input: Nothing,
    output: Schema.Struct({
      summary: SentSummary,
      references: Schema.Array(Schema.String),
      rfc_id: Schema.String,
      agent: Schema.String,
      at: Schema.Number,
      content: BlobRef,
      key: Schema.String
    }),
    askedBy: []
  }),
  /** Answers whether the message exists. It is asked after its parts were stored, when the outcome is unknown. */
  "mail.there": op({ input: Nothing, output: Schema.Boolean, askedBy: ["mail"] }),
  /** The content that completes a notification about this message. */
  "mail.summary": op({ input: Nothing, output: NotifiedMail, askedBy: [] }),
  "mail.mark_read": op({ input: ByAgent, output: Schema.Struct({ read_at: Schema.String }), askedBy: ["edge"] }),
  "mail.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})
