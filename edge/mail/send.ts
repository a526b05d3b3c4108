/**
 * `POST /email/send`: what is sent is stored sealed, then counted and queued in one commit; the answer waits a moment for
 * what becomes of the first attempt.
 */
import { Clock, Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import { invalidField, refusal } from "../../schemas/errors.ts"
import { type Mailbox, MESSAGE_ID } from "../../schemas/mail/records.ts"
import { type SendMail } from "../../schemas/mail/send.ts"
import type { ListedSent, SentContent } from "../../schemas/mail/sent.ts"
import { wordsOf } from "../../schemas/mail/words.ts"
import { newKey, sealBytes } from "../../schemas/secret/bytes.ts"
import { parse } from "../bus/bus.ts"
import { textOfFile } from "../content/texts.ts"
import { admitted, textsChecked } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { RouteParts } from "../routes/parts.ts"
import type { MailReading } from "./reading.ts"
import { attachmentsOf, type Outgoing, outgoing } from "./outgoing.ts"

const notYours = refusal("email_sender_not_yours", "`from` must be an open mailbox of yours.", { field: "from" })
const replyNotYours = refusal("email_sender_not_yours", "`reply_to` must be an open mailbox of yours.", {
  field: "reply_to"
})
const noSuchMessage = invalidField("in_reply_to", "in_reply_to must be a message that you received.")

/** Envelope, marks and places in the queue, beside the text of which the log has nothing. */
const SEND_BYTES = 16_000
/** Its place in the queue, and what becomes of it. */
const RECIPIENT_BYTES = 1500
const SEARCHED_CHARS = 20_000
const REFERENCES_MAX = 20
const LOOK_AGAIN_MS = 50

/** As far as it is looked at; what is no text has none. */
const fileText = (base64: string): string => textOfFile(Buffer.from(base64, "base64")) ?? ""

const failed = (detail: string | null) => refusal("email_send_failed", detail ?? "The message was refused.")

export const mailSending = ({ bus, blobs, config: { hub } }: RouteParts, reading: MailReading) => {
  const { email } = hub.limits.limits
  const { send_answer_ms: answerMs, words_max: wordsMax } = hub.limits.service.mail

  /** By its number, or by its address. */
  const boxOf = (boxes: ReadonlyArray<Mailbox>, wanted: number | string): Mailbox | undefined =>
    boxes.find(({ id, address }) =>
      typeof wanted === "number" ? id === wanted : address === wanted.trim().toLowerCase() || String(id) === wanted
    )

  /** What an answer follows from: the ids of what it answers, the nearest last. */
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

  /** What became of it so far, once nothing of it waits for its first attempt any more; or after a while. */
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

  const store = (call: Call, agent: string, wanted: SendMail, { content, addresses, ...shown }: Outgoing) =>
    Effect.gen(function* () {
      const boxes = yield* reading.boxes(call, agent)
      const from = boxOf(boxes, wanted.from)
      if (from === undefined) return yield* refuse(notYours)
      const replyTo = wanted.reply_to ?? null
      const answers = replyTo === null ? null : boxOf(boxes, replyTo)
      if (answers === undefined) return yield* refuse(replyNotYours)
      const inReplyTo = wanted.in_reply_to ?? null
      const references = inReplyTo === null ? [] : yield* referencesTo(call, agent, inReplyTo)
      const mailbox = from.id
      if (!call.again)
        yield* bus.read(call, { actor: agent, op: "mailer.may_send", input: { mailbox, recipients: addresses } })
      const words = `${shown.to.join(" ")} ${shown.cc.join(" ")} ${wanted.subject} ${(content.text ?? "").slice(0, SEARCHED_CHARS)}`
      const input = {
        ...shown,
        ...(yield* kept(call, content)),
        mailbox,
        reply_to: answers?.address ?? null,
        subject: wanted.subject,
        attachments: content.attachments.length,
        files: attachmentsOf(content),
        in_reply_to: inReplyTo,
        references,
        words: wordsOf(words, wordsMax)
      }
      const asked = bus.ask(call, { actor: agent, op: "mailer.send", input })
      return parse<Operations["mailer.send"]["output"]>(yield* asked).mail
    })

  return {
    send: (call: Call, wanted: SendMail): Effect.Effect<ListedSent, Refused> =>
      Effect.gen(function* () {
        const { attachments = [], subject, text = null, html = null } = wanted
        const { to, cc = [], bcc = [] } = wanted
        const files = attachments.map(({ filename, content_base64 }) => [filename, fileText(content_base64)])
        yield* textsChecked(call, { subject, text, html, to, cc, bcc, attachments: files })
        const made = yield* outgoing(wanted, email)
        const { agent } = yield* admitted(bus, call, {
          log: SEND_BYTES + made.addresses.length * RECIPIENT_BYTES,
          upload: call.body.length
        })
        const mail = yield* store(call, agent, wanted, made)
        const sent = yield* first(call, agent, mail)
        const refused = sent.recipients.every(({ status, unknown }) => status === "failed" && !unknown)
        if (refused) return yield* refuse(failed(sent.recipients[0]?.detail ?? null))
        // It is on its way whatever the read models say now.
        const thread_id = yield* Effect.orElseSucceed(reading.threadOf(call, agent, mail), () => null)
        // Spec 4.9: what was taken is `sent`, even where its recipient has it by now.
        return { ...sent, thread_id, status: sent.status === "delivered" ? "sent" : sent.status }
      })
  }
}
