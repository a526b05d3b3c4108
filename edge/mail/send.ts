/**
 * `POST /email/send`, and `POST /email/messages/{id}/reply`. The mail is stored sealed, then counted and queued in one
 * commit. The answer waits a moment for the outcome of the first attempt.
 */
import { Clock, Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import { invalidField, refusal } from "../../schemas/errors.ts"
import { mailExcerpt } from "../../schemas/mail/excerpt.ts"
import { type Mailbox, MESSAGE_ID } from "../../schemas/mail/records.ts"
import { answerSubject } from "../../schemas/mail/answer.ts"
import type { ReplyMail, SendMail } from "../../schemas/mail/send.ts"
import { recipientAddress } from "../../schemas/mail/senders.ts"
import type { ListedSent, SentContent } from "../../schemas/mail/sent.ts"
import { wordsOf } from "../../schemas/mail/words.ts"
import { newKey, sealBytes } from "../../schemas/secret/bytes.ts"
import { parse } from "../bus/bus.ts"
import { textOfFile } from "../content/texts.ts"
import { admitted, textsChecked } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"
import type { MailReading } from "./reading.ts"
import { answerable, attachmentsOf, contentIn, everybodyIn, type Recipients, recipientsIn } from "./outgoing.ts"

const notYours = refusal("email_sender_not_yours", "`from` must be an open mailbox of yours.", { field: "from" })
const replyNotYours = refusal("email_sender_not_yours", "`reply_to` must be an open mailbox of yours.", {
  field: "reply_to"
})
const noSuchMessage = invalidField("in_reply_to", "in_reply_to must be a message that you received.")
const notReceived = invalidField("id", "id must be a message that you received.")
const nobodyToAnswer = invalidField("id", "The message names no sender that could be answered.")

/** The most bytes that a mail adds to the log, besides those of its recipients. Its text is stored outside the log. */
const SEND_BYTES = 16_000
/** The bytes that the log needs for a recipient's place in the queue and its outcome. */
const RECIPIENT_BYTES = 1500
const SEARCHED_CHARS = 20_000
const REFERENCES_MAX = 20
const LOOK_AGAIN_MS = 50

/** The text of a file. Empty if the file is not text, or too long to be scanned. */
const fileText = (base64: string): string => textOfFile(Buffer.from(base64, "base64")) ?? ""

/** A message to send, with all records that it refers to. */
interface Stored {
  readonly from: Mailbox
  readonly replyTo: string | null
  readonly recipients: Recipients
  readonly content: SentContent
  readonly subject: string
  readonly in_reply_to: string | null
  readonly references: ReadonlyArray<string>
}

const failed = (detail: string | null) => refusal("email_send_failed", detail ?? "The message was refused.")

export const mailSending = ({ bus, blobs, config: { hub } }: EdgeParts, reading: MailReading) => {
  const { email } = hub.limits.limits
  const { send_answer_ms: answerMs, words_max: wordsMax } = hub.limits.service.mail

  const boxOf = (boxes: ReadonlyArray<Mailbox>, wanted: number | string): Mailbox | undefined =>
    boxes.find(({ id, address }) =>
      typeof wanted === "number" ? id === wanted : address === wanted.trim().toLowerCase() || String(id) === wanted
    )

  /** Ids of the messages that an answer follows from, the nearest last. */
  const referencesTo = (call: Call, agent: string, text: string): Effect.Effect<ReadonlyArray<string>, Refused> =>
    Effect.gen(function* () {
      if (!MESSAGE_ID.test(text)) return yield* refuse(noSuchMessage)
      const found = yield* Effect.catchIf(
        reading.looked(call, agent, text),
        ({ refusal: { code } }) => code === "not_found",
        () => refuse(noSuchMessage)
      )
      if (found.box !== "inbox") return yield* refuse(noSuchMessage)
      const { thread_ids } = yield* reading.textOf(call, found)
      return thread_ids.slice(-REFERENCES_MAX)
    })

  const kept = (call: Call, content: SentContent) =>
    Effect.gen(function* () {
      const key = newKey()
      const bytes = Buffer.from(JSON.stringify(content))
      return { key, content: yield* blobs.keep(call, sealBytes(bytes, key)) }
    })

  /** The status as soon as each recipient had a first attempt, or after some time. */
  const first = (call: Call, agent: string, mail: number): Effect.Effect<ListedSent, Refused> =>
    Effect.gen(function* () {
      const until = Math.min((yield* Clock.currentTimeMillis) + answerMs, call.deadline - 2 * LOOK_AGAIN_MS)
      for (let wait = LOOK_AGAIN_MS; ; wait *= 1.5) {
        const { mail: found } = yield* bus.read(call, {
          actor: String(mail),
          op: "mail.look",
          input: { agent },
          anew: true
        })
        if (found.box !== "sent") return yield* refuse(notYours)
        const waiting = found.recipients.some(({ status, detail }) => status === "queued" && detail === null)
        if (!waiting || (yield* Clock.currentTimeMillis) + wait > until) return found
        yield* Effect.sleep(wait)
      }
    })

  const store = (call: Call, agent: string, { from, replyTo, recipients, content, ...shown }: Stored) =>
    Effect.gen(function* () {
      const { addresses, ...named } = recipients
      const mailbox = from.id
      if (!call.again)
        yield* bus.read(call, { actor: agent, op: "mailer.may_send", input: { mailbox, recipients: addresses } })
      const words = `${named.to.join(" ")} ${named.cc.join(" ")} ${shown.subject} ${(content.text ?? "").slice(0, SEARCHED_CHARS)}`
      const input = {
        ...named,
        ...shown,
        ...(yield* kept(call, content)),
        excerpt: mailExcerpt(content.text ?? ""),
        mailbox,
        reply_to: replyTo,
        attachments: content.attachments.length,
        files: attachmentsOf(content),
        words: wordsOf(words, wordsMax)
      }
      const asked = bus.ask(call, { actor: agent, op: "mailer.send", input })
      return parse<Operations["mailer.send"]["output"]>(yield* asked).mail
    })

  const answered = (call: Call, agent: string, mail: number): Effect.Effect<ListedSent, Refused> =>
    Effect.gen(function* () {
      const sent = yield* first(call, agent, mail)
      const refused = sent.recipients.every(({ status, unknown }) => status === "failed" && !unknown)
      if (refused) return yield* refuse(failed(sent.recipients[0]?.detail ?? null))
      // The mail is queued, even if the read models cannot be asked now.
      const thread_id = yield* Effect.orElseSucceed(reading.threadOf(call, agent, mail), () => null)
      // An accepted mail is `sent` in this answer, even if it has been delivered by now (spec 4.9).
      return { ...sent, thread_id, status: sent.status === "delivered" ? "sent" : sent.status }
    })

  const filesOf = (attachments: SendMail["attachments"] = []) =>
    attachments.map(({ filename, content_base64 }) => ({ filename, content_base64: fileText(content_base64) }))

  const taking = (call: Call, recipients: number) => ({
    log: SEND_BYTES + recipients * RECIPIENT_BYTES,
    upload: call.body.length
  })

  return {
    send: (call: Call, wanted: SendMail): Effect.Effect<ListedSent, Refused> =>
      Effect.gen(function* () {
        const { to, cc = [], bcc = [], subject, text = null, html = null } = wanted
        yield* textsChecked(call, { subject, text, html, to, cc, bcc, attachments: filesOf(wanted.attachments) })
        const recipients = yield* recipientsIn(wanted, email)
        const content = yield* contentIn(wanted, email)
        const { agent } = yield* admitted(bus, call, taking(call, recipients.addresses.length))
        const boxes = yield* reading.boxes(call, agent)
        const from = boxOf(boxes, wanted.from)
        if (from === undefined) return yield* refuse(notYours)
        const answers = wanted.reply_to ?? null
        const replyTo = answers === null ? null : boxOf(boxes, answers)
        if (replyTo === undefined) return yield* refuse(replyNotYours)
        const in_reply_to = wanted.in_reply_to ?? null
        const references = in_reply_to === null ? [] : yield* referencesTo(call, agent, in_reply_to)
        const mail = { from, replyTo: replyTo?.address ?? null, recipients, content, subject, in_reply_to, references }
        return yield* answered(call, agent, yield* store(call, agent, mail))
      }),
    reply: (call: Call, id: string, wanted: ReplyMail): Effect.Effect<ListedSent, Refused> =>
      Effect.gen(function* () {
        const { all = false, text = null, html = null } = wanted
        // The original sender wrote the subject and the addresses, so they are not secrets of the agent.
        yield* textsChecked(call, { text, html, attachments: filesOf(wanted.attachments) })
        const content = yield* contentIn(wanted, email)
        const { agent } = yield* admitted(bus, call, taking(call, all ? email.recipients_max : 1))
        const found = yield* reading.looked(call, agent, id)
        if (found.box !== "inbox") return yield* refuse(notReceived)
        const stored = yield* reading.textOf(call, found)
        const boxes = yield* reading.boxes(call, agent)
        const from = boxOf(boxes, found.mail.mailbox.id)
        if (from === undefined) return yield* refuse(notYours)
        const { replyTo, ...named } = answerable(stored)
        const sender = recipientAddress(replyTo ?? "") ?? recipientAddress(found.mail.from.address)
        if (sender === null) return yield* refuse(nobodyToAnswer)
        const own = boxes.map(({ address }) => address)
        const to = all ? everybodyIn({ own, sender, ...named }) : { to: [sender] }
        const recipients = yield* recipientsIn(to, email, "all")
        const subject = answerSubject(found.mail.subject)
        const references = stored.thread_ids.slice(-REFERENCES_MAX)
        const mail = { from, replyTo: null, recipients, content, subject, in_reply_to: id, references }
        return yield* answered(call, agent, yield* store(call, agent, mail))
      })
  }
}
