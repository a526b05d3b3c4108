/** Mail (spec 4.9; contract 20). */
import { Effect, Schema } from "effect"
import { notFound, refusal, type Refusal } from "../../schemas/errors.ts"
import { ChangeMailbox, CloseMailbox, MailApi, OpenMailbox } from "../../schemas/mail/api.ts"
import { type Mail, type Mailbox, MESSAGE_ID } from "../../schemas/mail/records.ts"
import { mailDomain } from "../../schemas/mail/settings.ts"
import { attachmentPart, StoredText, TEXT_PART } from "../../schemas/mail/stored.ts"
import { admitted, changeIn, numberOf, textsChecked } from "../content/writing.ts"
import { attachment } from "../http/blob.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { clamped, pageMeta, pageOf } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataItems, dataValue } from "../http/respond.ts"
import { drawnOf } from "../http/limits.ts"
import { localPartRefusal } from "../mail/local-parts.ts"
import { MailNotices } from "../mail/notices.ts"
import { readPart } from "../mail/parts.ts"
import { signer } from "./own.ts"
import type { RouteParts } from "./parts.ts"

const decodeOpen = bodyDecoder(OpenMailbox)
const decodeChange = bodyDecoder(ChangeMailbox)
const decodeClose = bodyDecoder(CloseMailbox)
const decodeText = Schema.decodeUnknownSync(Schema.fromJsonString(StoredText))

const CREATED = 201
const NO_FIELDS = Buffer.from("{}")
const CHANGED_FIELDS = ["rules", "label"]
const MAILBOXES_ABREAST = 10
const FROM_MAX_CHARS = 253

const noMessage = refuse(notFound("message"))
const noAttachment = refuse(notFound("attachment"))
const unconfirmed: Refusal = refusal("confirmation_required", "Closing a mailbox needs `confirm`: `delete`.", {
  field: "confirm"
})
const noSes = refuse(refusal("email_disabled", "Mail comes to this service by another way."))
const noDomain = refusal("email_domain_unknown", "You have no such domain here.")

/** Of a path: `em_<id>`. */
const messageOf = (text: string): Effect.Effect<number, Refused> => {
  const number = MESSAGE_ID.exec(text)?.[1]
  return number === undefined ? Effect.fail(noMessage) : Effect.succeed(Number(number))
}

export const mailRoutes = ({ bus, lists, blobs, notifications, limits, config: { hub } }: RouteParts) => {
  const { email } = hub.limits.limits
  const { wait_max_seconds } = hub.limits.notifications
  const { forMail } = notifications
  const notices = hub.mail?.provider === "ses" ? new MailNotices(hub.mail, hub.limits.service.mail, bus) : null

  const mailbox = (call: Call, agent: string, id: number): Effect.Effect<Mailbox, Refused> =>
    bus.read(call, { actor: String(id), op: "mailbox.look", input: { agent } })

  const numbersOf = (call: Call, agent: string) => bus.read(call, { actor: agent, op: "mailer.mailboxes", input: null })

  const looked = (call: Call, agent: string, text: string) =>
    Effect.gen(function* () {
      const number = yield* messageOf(text)
      const found = yield* bus.read(call, { actor: String(number), op: "mail.look", input: { agent } })
      return { ...found, stored: { mailbox: found.mailbox, mail: number, key: found.key, parts: found.parts } }
    })

  const textOf = (call: Call, { stored }: Effect.Success<ReturnType<typeof looked>>) =>
    Effect.map(readPart(blobs, call, stored, TEXT_PART), (bytes) => decodeText(Buffer.from(bytes).toString("utf8")))

  return routesOf(MailApi, {
    getMail: (call) =>
      Effect.gen(function* () {
        const { mail } = hub
        const agent = call.ticket === null || mail === null ? null : (yield* signer(bus, call)).id
        const mailboxes = agent === null ? null : (yield* numbersOf(call, agent)).length
        const [provider, domain] = [mail?.provider ?? null, mail?.domain ?? null]
        return dataValue({ enabled: mail !== null, provider, domain, mailboxes, limits: email })
      }),
    listMailboxes: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const numbers = yield* numbersOf(call, agent)
        const shown = numbers.slice((page.page - 1) * page.per_page, page.page * page.per_page)
        const items = yield* Effect.forEach(shown, (id) => mailbox(call, agent, id), { concurrency: MAILBOXES_ABREAST })
        return dataValue(items, 200, pageMeta(page, numbers.length))
      }),
    openMailbox: (call) =>
      Effect.gen(function* () {
        const wanted = yield* decodeOpen(call, call.body.length === 0 ? NO_FIELDS : call.body)
        yield* textsChecked(call, { label: wanted.label ?? null })
        const domain = hub.mail?.domain ?? ""
        if (wanted.domain !== undefined && mailDomain(wanted.domain) !== domain) return yield* refuse(noDomain)
        const { id, handle } = yield* signer(bus, call)
        const local_part = wanted.local_part ?? handle
        const refused = localPartRefusal(local_part, handle)
        if (refused !== null) return yield* refuse(refused)
        const input = { local_part, domain, label: wanted.label ?? null }
        const { mailbox: opened } = yield* bus.read(call, { actor: id, op: "mailer.open_mailbox", input })
        return dataValue(yield* mailbox(call, id, opened), CREATED)
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
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const q = query.q === undefined || query.q.trim() === "" ? null : query.q
        const mailboxes = q === null ? [] : yield* numbersOf(call, agent)
        const wanted = { agent, unread: query.unread === "1", q, mailboxes, ...page }
        const { items, total } = yield* lists.page(call, "mail_list", wanted)
        return dataItems(items, pageMeta(page, total))
      }),
    getMailMessage: (call, { params, query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const found = yield* looked(call, agent, params.id)
        const { html, ...stored } = yield* textOf(call, found)
        const isPeek = query.peek === "1" || call.method === "HEAD"
        const marked = isPeek
          ? found.mail
          : yield* bus.read(call, { actor: String(found.stored.mail), op: "mail.mark_read", input: { agent } })
        const mail: Mail = { ...found.mail, ...stored, read_at: marked.read_at }
        return dataValue(query.include === "html" ? { ...mail, html } : mail)
      }),
    getMailAttachment: (call, { params }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const found = yield* looked(call, agent, params.id)
        const { attachments } = yield* textOf(call, found)
        const one = attachments.find(({ n }) => String(n) === params.n)
        if (one === undefined) return yield* noAttachment
        const bytes = yield* readPart(blobs, call, found.stored, attachmentPart(one.n))
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
        const waited = wait > 0 && forMail.hasRoom(agent)
        const isThere = ({ items }: { readonly items: ReadonlyArray<unknown> }) => items.length > 0
        const { items, unaligned } = yield* forMail.hold(call, { agent, waitMs: wait * 1000, look, isThere })
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
