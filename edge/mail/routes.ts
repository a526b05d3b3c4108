/** Mail (spec 4.9; contract 20). */
import { Effect } from "effect"
import { invalidField, notFound, refusal, type Refusal, untilOperator } from "../../schemas/errors.ts"
import { MailApi } from "../../schemas/mail/api.ts"
import { ChangeMailbox, CloseMailbox, MailRules, type MailStatus, OpenMailbox } from "../../schemas/mail/bodies.ts"
import { type Mail, THREAD_ID } from "../../schemas/mail/records.ts"
import { ReplyMail, SendMail } from "../../schemas/mail/send.ts"
import type { SentContent, SentMail } from "../../schemas/mail/sent.ts"
import { mailDomain } from "../../schemas/mail/settings.ts"
import { attachmentPart } from "../../schemas/mail/stored.ts"
import { admitted, admittedByName, changeIn, numberOf, textsChecked } from "../content/writing.ts"
import { attachment } from "../bus/blob.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { clamped, pageMeta, pageOf, isSet } from "../http/query.ts"
import { refuse } from "../http/refused.ts"
import { dataItems, dataValue } from "../http/respond.ts"
import { drawnOf } from "../http/limits.ts"
import { localPartRefusal } from "./local-parts.ts"
import { MailNotices } from "./notices.ts"
import { attachmentsOf } from "./outgoing.ts"
import { readPart } from "./parts.ts"
import { mailReading } from "./reading.ts"
import { mailSending } from "./send.ts"
import { mailTagHandlers } from "./tags.ts"
import { signer } from "../bus/own.ts"
import { type Forms, stateOf } from "../markdown/form.ts"
import type { EdgeParts } from "../kit/parts.ts"
import type { Notifications } from "../notification/index.ts"

type Parts = EdgeParts & { readonly notifications: Notifications }

const decodeOpen = bodyDecoder(OpenMailbox)
const noRules = (ignored: ReadonlyArray<string>): Refusal =>
  invalidField("rules", "Nothing to update", { fields: RULE_FIELDS, ignored })

const decodeChange = bodyDecoder(ChangeMailbox)
const decodeClose = bodyDecoder(CloseMailbox)
const decodeSend = bodyDecoder(SendMail)
const decodeReply = bodyDecoder(ReplyMail)

const CREATED = 201
const ACCEPTED = 202
const NO_CONTENT: SentContent = { text: null, html: null, attachments: [] }

type Box = "inbox" | "sent" | "all"
const boxes: ReadonlyMap<string, Box> = new Map([
  ["inbox", "inbox"],
  ["sent", "sent"],
  ["all", "all"]
])
const noBox = invalidField("box", "box must be one of inbox, sent, all.")
const NO_FIELDS = Buffer.from("{}")
const RULE_FIELDS = Object.keys(MailRules.fields)
const CHANGED_FIELDS = ["rules", "label"]
const FROM_MAX_CHARS = 253

const noAttachment = refuse(notFound("attachment"))
const unconfirmed: Refusal = refusal("confirmation_required", "Closing a mailbox needs `confirm`: `delete`.", {
  field: "confirm"
})
const noSes = refuse(untilOperator(refusal("email_disabled", "Mail comes to this service by another way.")))
const noDomain = refusal("email_domain_unknown", "You have no such domain here.")

export const mailRoutes = (parts: Parts) => {
  const { bus, lists, blobs, notifications, limits } = parts
  const { hub } = parts.config
  const { email } = hub.limits.limits
  const { wait_max_seconds } = hub.limits.notifications
  const { forMail } = notifications
  const notices = hub.mail?.provider === "ses" ? new MailNotices(hub.mail, hub.limits.service.mail, bus) : null

  const reading = mailReading(parts)
  const { mailbox, numbers } = reading
  const sending = mailSending(parts, reading)

  return routesOf(MailApi, {
    ...mailTagHandlers(parts),
    getMail: (call) =>
      Effect.gen(function* () {
        const { mail } = hub
        const agent = call.ticket === null || mail === null ? null : (yield* signer(bus, call)).id
        const mailboxes = agent === null ? null : (yield* numbers(call, agent)).length
        const asked = agent === null ? null : ({ actor: agent, op: "mail_domain_holder.look", input: null } as const)
        const domains = asked === null ? null : (yield* bus.read(call, asked)).domain === null ? 0 : 1
        const own = agent === null ? null : yield* bus.read(call, { actor: agent, op: "mailer.sending", input: null })
        const [provider, domain] = [mail?.provider ?? null, mail?.domain ?? null]
        return dataValue({ enabled: mail !== null, provider, domain, mailboxes, domains, limits: email, sending: own })
      }),
    listMailboxes: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const all = yield* numbers(call, agent)
        const shown = all.slice((page.page - 1) * page.per_page, page.page * page.per_page)
        return dataValue(yield* reading.several(call, agent, shown), 200, pageMeta(page, all.length))
      }),
    openMailbox: (call) =>
      Effect.gen(function* () {
        const wanted = yield* decodeOpen(call, call.body.length === 0 ? NO_FIELDS : call.body)
        yield* textsChecked(call, { label: wanted.label ?? null })
        const own = hub.mail?.domain ?? ""
        const domain = wanted.domain === undefined ? own : mailDomain(wanted.domain)
        if (domain === null) return yield* refuse(noDomain)
        const { agent, handle } = yield* admittedByName(bus, call)
        const local_part = wanted.local_part ?? handle
        // An agent may choose any name at its own domain.
        const refused = domain === own ? localPartRefusal(local_part, handle) : null
        if (refused !== null) return yield* refuse(refused)
        const input = { local_part, domain, label: wanted.label ?? null }
        const { mailbox: opened } = yield* bus.read(call, { actor: agent, op: "mailer.open_mailbox", input })
        return dataValue(yield* mailbox(call, agent, opened), CREATED)
      }),
    getMailbox: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("mailbox", params.id)
        const { id: agent } = yield* signer(bus, call)
        return dataValue(yield* mailbox(call, agent, id))
      }),
    changeMailbox: (call, { params }) =>
      Effect.gen(function* () {
        yield* changeIn(call, CHANGED_FIELDS)
        const changed = yield* decodeChange(call)
        const isEmpty = changed.label === undefined && Object.keys(changed.rules ?? {}).length === 0
        if (isEmpty && call.ignored.length > 0) return yield* refuse(noRules(call.ignored))
        yield* textsChecked(call, { label: changed.label ?? null })
        const id = yield* numberOf("mailbox", params.id)
        const { agent } = yield* admitted(bus, call)
        yield* bus.ask(call, { actor: String(id), op: "mailbox.change", input: { agent, ...changed } })
        return dataValue(yield* mailbox(call, agent, id))
      }),
    closeMailbox: (call, { params }) =>
      Effect.gen(function* () {
        const { confirm } = yield* decodeClose(call, call.body.length === 0 ? NO_FIELDS : call.body)
        if (confirm !== "delete") return yield* refuse(unconfirmed)
        const id = yield* numberOf("mailbox", params.id)
        const { agent } = yield* admitted(bus, call)
        yield* bus.ask(call, { actor: agent, op: "mailer.close_mailbox", input: { mailbox: id } })
        return dataValue({ deleted: true, id })
      }),
    listMail: (call, { query }) =>
      Effect.gen(function* () {
        const thread = query.thread === undefined ? null : Number(THREAD_ID.exec(query.thread)?.[1] ?? 0)
        const box = boxes.get(query.box ?? (thread === null ? "inbox" : "all"))
        if (box === undefined) return yield* refuse(noBox)
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const q = query.q === undefined || query.q.trim() === "" ? null : query.q
        const mailboxes = q === null ? [] : yield* numbers(call, agent)
        const wanted = { agent, box, thread, unread: isSet(query.unread), q, mailboxes, ...page }
        const { items, total } = yield* lists.page(call, "mail_list", wanted)
        return dataItems(items, pageMeta(page, total))
      }),
    listMailThreads: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const { items, total } = yield* lists.page(call, "mail_threads", { agent, ...page })
        return dataItems(items, pageMeta(page, total))
      }),
    sendMail: (call) =>
      Effect.flatMap(decodeSend(call), (wanted) =>
        Effect.map(sending.send(call, wanted), (sent) => dataValue(sent, ACCEPTED))
      ),
    replyToMail: (call, { params }) =>
      Effect.flatMap(decodeReply(call), (wanted) =>
        Effect.map(sending.reply(call, params.id, wanted), (sent) => dataValue(sent, ACCEPTED))
      ),
    getMailMessage: (call, { params, query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const found = yield* reading.looked(call, agent, params.id)
        const thread_id = yield* reading.threadOf(call, agent, found.number)
        const withHtml = query.include === "html"
        if (found.box === "sent") {
          const content = yield* reading.contentOf(call, found)
          const { text, html } = content
          const attachments = attachmentsOf(content)
          const mail: SentMail = { ...found.mail, thread_id, text, attachments }
          return dataValue(withHtml ? { ...mail, html } : mail)
        }
        const { html, to: _to, unsigned: _unsigned, thread_ids: _ids, ...stored } = yield* reading.textOf(call, found)
        const isPeek = query.peek === "1" || call.method === "HEAD"
        const marked = isPeek
          ? found.mail
          : yield* bus.read(call, { actor: String(found.number), op: "mail.mark_read", input: { agent } })
        const mail: Mail = { ...found.mail, ...stored, thread_id, read_at: marked.read_at }
        return dataValue(withHtml ? { ...mail, html } : mail)
      }),
    getMailAttachment: (call, { params }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const found = yield* reading.looked(call, agent, params.id)
        const content = found.box === "sent" ? yield* reading.contentOf(call, found) : null
        const { attachments } =
          found.box === "sent"
            ? { attachments: attachmentsOf(content ?? NO_CONTENT) }
            : yield* reading.textOf(call, found)
        const one = attachments.find(({ n }) => String(n) === params.n)
        if (one === undefined) return yield* noAttachment
        const bytes =
          found.box === "sent"
            ? Buffer.from(content?.attachments[one.n - 1]?.content_base64 ?? "", "base64")
            : yield* readPart(blobs, call, found.stored, attachmentPart(one.n))
        return {
          status: 200,
          headers: {
            "content-type": "application/octet-stream",
            "content-disposition": attachment(one.filename ?? `attachment-${one.n}`),
            "content-length": String(bytes.length),
            "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
            "cache-control": "private, no-store",
            "x-hub-declared-type": one.content_type,
            "x-hub-sha256": one.sha256
          },
          body: call.method === "HEAD" ? null : bytes
        }
      }),
    listMailCodes: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const minutes = clamped(query.minutes, 1, email.codes_minutes_max, email.codes_minutes_default)
        const from = query.from === undefined ? null : query.from.slice(0, FROM_MAX_CHARS)
        const look = bus.query(call, "mail_codes", { agent, minutes, from })
        const wait = call.method === "HEAD" ? 0 : clamped(query.wait_seconds, 0, wait_max_seconds, 0)
        const isThere = ({ items }: { readonly items: ReadonlyArray<unknown> }) => items.length > 0
        const { found, waited } = yield* forMail.hold(call, { agent, waitMs: wait * 1000, look, isThere })
        const { items, unaligned } = found
        const page = { page: 1, per_page: email.codes_messages_max }
        return dataValue(items, 200, { ...pageMeta(page, items.length), unaligned, waited })
      }),
    listMailLog: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const { items, total } = yield* lists.page(call, "mail_log", { agent, ...page })
        return dataItems(items, pageMeta(page, total))
      }),
    takeMailNotice: (call) =>
      Effect.gen(function* () {
        yield* drawnOf(limits, "mail_notice", call)
        return notices === null ? yield* noSes : dataValue(yield* notices.take(call))
      })
  })
}

export const mailForms = { "mail.getMail": stateOf<typeof MailStatus.Type>("mail", "Mail") } satisfies Forms
