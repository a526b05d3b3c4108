/** Endpoints of an agent's mail: mailboxes, messages, codes and the mail log (spec 4.9; contract 20). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  created,
  describe,
  failures,
  page,
  PageMeta,
  PagingQuery,
  personFailures,
  signedFailures,
  signedWriteFailures,
  success,
  WaitSeconds,
  Unread,
  textParameter,
  WAITED
} from "../envelope.ts"
import { Chapter, OWN_BUCKET, Row, Traits } from "../traits.ts"
import { ChangeMailbox, CloseMailbox, MailStatus, OpenMailbox } from "./bodies.ts"
import { MAIL_LIMITS } from "./limits.ts"
import { ListedMail, Mail, Mailbox, MailCodes, MailEvent, MailThread } from "./records.ts"
import { ReplyMail, SendMail } from "./send.ts"
import { ListedSent, SentMail } from "./sent.ts"
import { endMailTag, listMailTags, makeMailTag } from "./tags.ts"

const sendingFailures = [
  "email_disabled",
  "email_sender_not_yours",
  "email_sending_suspended",
  "email_paused",
  "email_recipient_suppressed",
  "email_quota",
  "email_instance_quota",
  "email_send_failed",
  "email_provider_error",
  "email_owner_rule",
  "email_domain_not_ready",
  "content_secret"
] as const

/** The endpoints answer 503 `email_disabled` if the service has no mail. */
const NEEDS_MAIL: Traits = { needs: "mail" }

/** The endpoint that the mail provider calls with its notifications. It has its own bucket. */
const NEEDS_SES: Traits = { ...OWN_BUCKET, needs: "ses" }

const Bytes = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" }))

const id = { id: Schema.String }

const ProviderNotice = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" }))

const TakenNotice = Schema.Struct({
  type: Schema.Literals(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  taken: Schema.Boolean
})

const codesPage = Schema.Struct({
  ok: Schema.Literal(true),
  data: Schema.Array(MailCodes),
  meta: Schema.Struct({
    ...PageMeta.fields,
    unaligned: Schema.Int.annotate({
      description:
        "With `from`: how many messages of those minutes with a code or link claim to be from there and are not listed, since " +
        "DMARC did not prove it. 0 without `from`. They end no wait."
    }),
    waited: WAITED
  })
})

export const MailApi = HttpApiGroup.make("mail")
  .annotate(Chapter, 64)
  .add(
    HttpApiEndpoint.get("getMail", "/email", { success: success(MailStatus), error: failures() })
      .annotateMerge(describe("optional", "Mail: on or off, and its limits"))
      .annotate(Row, "`enabled`, the default `domain`, `limits`; signed, how many mailboxes and domains you have"),
    HttpApiEndpoint.get("listMailboxes", "/email/mailboxes", {
      query: PagingQuery,
      success: page(Mailbox),
      error: signedFailures("email_disabled")
    })
      .annotateMerge(describe("signed", "Your mailboxes"))
      .annotate(Traits, NEEDS_MAIL)
      .annotate(Row, "your mailboxes; paged"),
    HttpApiEndpoint.post("openMailbox", "/email/mailboxes", {
      payload: OpenMailbox,
      success: created(Mailbox),
      error: signedWriteFailures(
        "email_disabled",
        "email_address_taken",
        "email_mailbox_exists",
        "email_mailbox_limit",
        "email_domain_unknown",
        "email_domain_not_yours",
        "email_domain_not_ready",
        "email_local_not_yours",
        "email_local_reserved",
        "email_owner_rule",
        "content_secret"
      )
    })
      .annotateMerge(
        describe(
          "signed",
          "Open a mailbox",
          "`{}` opens your handle at the default domain; there `local_part` is your handle, or your handle, a dot and " +
            "a suffix. Whatever is sent to `<local part>+<tag>` arrives there with its `tag`. " +
            "At a `domain` of yours that is active any local part will do."
        )
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(Row, "`local_part` (your handle, or `<handle>.<suffix>`), `domain`, `label`; `{}` is your handle"),
    HttpApiEndpoint.get("getMailbox", "/email/mailboxes/:id", {
      params: id,
      success: success(Mailbox),
      error: signedFailures("email_disabled", "not_found")
    })
      .annotateMerge(describe("signed", "A mailbox of yours"))
      .annotate(Traits, NEEDS_MAIL)
      .annotate(Row, "one of them"),
    HttpApiEndpoint.patch("changeMailbox", "/email/mailboxes/:id", {
      params: id,
      payload: ChangeMailbox,
      success: success(Mailbox),
      error: signedWriteFailures("email_disabled", "not_found", "content_secret")
    })
      .annotateMerge(
        describe(
          "signed",
          "Change a mailbox",
          "Those of `rules` that are named replace what they were: what they keep out is dropped, and the journal says " +
            "which of them did. `allow_senders`: where there are any, everybody else is kept out, and so is a message without " +
            "one readable From; `require_dmarc`: what DMARC does not PASS; `only_codes`: what has neither a code nor a link that lets you in."
        )
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(
        Row,
        "`rules {block_senders, allow_senders, require_dmarc, only_codes}`, those that are named: what they keep out is dropped, and its sender hears of nothing; `label`"
      ),
    HttpApiEndpoint.delete("closeMailbox", "/email/mailboxes/:id", {
      params: id,
      payload: CloseMailbox,
      success: success(Schema.Struct({ deleted: Schema.Literal(true), id: Schema.Int })),
      error: signedWriteFailures("email_disabled", "not_found", "confirmation_required")
    })
      .annotateMerge(
        describe(
          "signed",
          "Close a mailbox",
          "`confirm`: `delete`. Its received mail is erased at once. The address stays yours."
        )
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(Row, "`confirm`: `delete`; its mail is erased at once"),
    listMailTags,
    makeMailTag,
    endMailTag,
    HttpApiEndpoint.get("listMail", "/email/messages", {
      query: {
        ...PagingQuery,
        box: textParameter("`inbox`, `sent` or `all`. Default: `inbox`, with `thread` `all`."),
        thread: textParameter("Id of a thread of mail: lists only its messages."),
        unread: Unread,
        q: textParameter("Lists only messages with all of these words, whole.")
      },
      success: page(Schema.Union([ListedMail, ListedSent])),
      error: signedFailures("email_disabled", "validation_error")
    })
      .annotateMerge(
        describe(
          "signed",
          "Your mail, newest first",
          "`q` finds messages that hold all of its words, whole. `box`: `inbox`, `sent` or `all`; with `thread` all of it."
        )
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(
        Row,
        "newest first; `?box=` `inbox`, `sent`, `all`; `?thread=th_…`, `?unread=1`, `?q=` (whole words of names, subject and text); paged"
      ),
    HttpApiEndpoint.get("listMailThreads", "/email/threads", {
      query: PagingQuery,
      success: page(MailThread),
      error: signedFailures("email_disabled")
    })
      .annotateMerge(describe("signed", "Your mail by threads, newest first"))
      .annotate(Traits, NEEDS_MAIL)
      .annotate(Row, "messages that answer each other, received and sent; paged"),
    HttpApiEndpoint.post("sendMail", "/email/send", {
      payload: SendMail,
      success: success(ListedSent).pipe(HttpApiSchema.status(202)),
      error: signedWriteFailures(...sendingFailures)
    })
      .annotateMerge(
        describe(
          "signed",
          "Send mail",
          `At most ${MAIL_LIMITS.recipients_max} recipients in all, \`text\` or \`html\` or both. It is \`queued\` until a ` +
            "server takes it: look at the message again, or wait for `email.bounced`. Send it under an Idempotency-Key: " +
            "then it goes out once, however often you ask.",
          "upload"
        )
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(
        Row,
        "`from` (mailbox or address), `to`, `cc`, `bcc`, `subject`, `text`, `html`, `reply_to`, `in_reply_to`, " +
          "`attachments {filename, content_type, content_base64}`; 202"
      ),
    HttpApiEndpoint.post("replyToMail", "/email/messages/:id/reply", {
      params: id,
      payload: ReplyMail,
      success: success(ListedSent).pipe(HttpApiSchema.status(202)),
      error: signedWriteFailures(...sendingFailures, "not_found", "email_inbound_unavailable")
    })
      .annotateMerge(
        describe(
          "signed",
          "Answer a message that you received",
          "It goes from the mailbox that the message came to, to its `Reply-To`, else to its sender. `all`: also to everybody " +
            "whom its `To` and `Cc` name, without your own addresses. If a signature alone proves the sender, fields that it " +
            "does not cover name nobody: `Reply-To`, `To` and `Cc`. Subject and thread follow from the message. The rest " +
            "is as in `POST /email/send`.",
          "upload"
        )
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(
        Row,
        "`text`, `html`, `all` (also whom `To` and `Cc` name), `attachments`; recipients, subject and thread follow from the message; 202"
      ),
    HttpApiEndpoint.get("getMailMessage", "/email/messages/:id", {
      params: id,
      query: {
        peek: textParameter("`1` leaves the message unread."),
        include: textParameter("`html` adds the HTML as a string.")
      },
      success: success(Schema.Union([Mail, SentMail])),
      error: signedFailures("email_disabled", "not_found", "email_inbound_unavailable")
    })
      .annotateMerge(
        describe("signed", "A message", "Marks it as read, unless `peek=1`. `include=html` adds the HTML as a string.")
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(Row, "`em_…`: its text, codes, links, attachments; read by that unless `?peek=1`; `?include=html`"),
    HttpApiEndpoint.get("getMailAttachment", "/email/messages/:id/attachments/:n", {
      params: { id: Schema.String, n: Schema.String },
      success: Bytes,
      error: signedFailures("email_disabled", "not_found", "email_inbound_unavailable")
    })
      .annotateMerge(
        describe(
          "signed",
          "An attachment",
          "Always as `application/octet-stream`; what the sender declared is in `X-Hub-Declared-Type`, its hash in `X-Hub-Sha256`."
        )
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(Row, "the bytes; `X-Hub-Declared-Type`, `X-Hub-Sha256`"),
    HttpApiEndpoint.get("listMailCodes", "/email/codes", {
      query: {
        minutes: textParameter("Minutes to look back."),
        from: textParameter("A host: lists only mail that DMARC aligned with its domain."),
        wait_seconds: WaitSeconds
      },
      success: codesPage,
      error: signedFailures("email_disabled")
    })
      .annotateMerge(
        describe(
          "signed",
          "Codes and links that let somebody in, newest first",
          "`from` names a host: only mail that DMARC aligned with its domain, and `meta.unaligned` counts what " +
            "claimed it unproven. `wait_seconds` holds the request until there is one; what came in the last `minutes` " +
            "is answered at once, with `meta.waited` false: look at its `at`."
        )
      )
      .annotate(Traits, NEEDS_MAIL)
      .annotate(
        Row,
        "newest first: of the last `?minutes=` ({{limits.email.codes_minutes_default}}) at once, else `?wait_seconds=` (25 at most) for one; `?from=<host>`"
      ),
    HttpApiEndpoint.get("listMailLog", "/email/log", {
      query: PagingQuery,
      success: page(MailEvent),
      error: signedFailures("email_disabled")
    })
      .annotateMerge(describe("signed", "The journal of your mail, newest first", "It reaches back 90 days."))
      .annotate(Traits, NEEDS_MAIL)
      .annotate(
        Row,
        "opened, received, dropped, closed, and what became of what you sent, of the last {{limits.email.retention_seconds|duration}}; newest first; paged"
      ),
    HttpApiEndpoint.post("takeMailNotice", "/email/inbound/ses", {
      payload: ProviderNotice,
      success: success(TakenNotice),
      error: personFailures(
        "email_disabled",
        "validation_error",
        "request_too_large",
        "email_sns_topic",
        "email_sns_signature",
        "email_sns_stale",
        "email_sns_in_progress",
        "email_sns_certificate"
      )
    })
      .annotateMerge(
        describe(
          "none",
          "What the mail provider tells; not for agents",
          "A message of Amazon SNS, signed by it, for a topic of this service.",
          "notice"
        )
      )
      .annotate(Traits, NEEDS_SES)
      .annotate(Row, "not for agents: the mail provider's own entry")
  )
