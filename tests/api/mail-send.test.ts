/** Mail that agents send, over two edges and real SMTP (spec 3.6, 4.9; contract 20). */
import { randomBytes, randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ListedMail, Mailbox, MailEvent, MailThread } from "../../schemas/mail/records.ts"
import type { ListedSent, SentMail } from "../../schemas/mail/sent.ts"
import { waitFor } from "../harness/index.ts"
import { deliver, message } from "../support/mail.ts"
import { type MailHost, mailHost, type Taken } from "../support/mail-host.ts"
import { type NameServer, nameServer } from "../support/dns.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { foundIn } from "../support/planted.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried, told } from "../support/sponsorship.ts"

const DOMAIN = "mail.hub.example"
let service: TestService
let world: MailHost
let names: NameServer

beforeAll(async () => {
  world = await mailHost()
  names = await nameServer({
    "world.example": { MX: ["mx.world.example"] },
    "mx.world.example": { A: ["127.0.0.1"] },
    "inside.example": { MX: ["mx.inside.example"] },
    "mx.inside.example": { A: ["10.0.0.7"] },
    "silent.example": { MX: ["."] }
  })
  service = await testService({
    edges: 2,
    actors: 2,
    mail: DOMAIN,
    env: { HUB_DNS_SERVERS: names.address, HUB_MAIL_ABUSE_CONTACT: "abuse@hub.example" },
    limits: {
      "service.mail.mx_port": world.port,
      "limits.email.service_per_day": 100_000,
      "limits.email.pause_recipients_min": 100_000,
      "limits.email.queue_retry_seconds.1": 1,
      "limits.email.queue_retry_seconds.2": 1
    }
  })
})
afterAll(async () => {
  await service?.stop()
  await world?.stop()
  await names?.stop()
})

const SEND = "/api/v1/email/send"
const MESSAGES = "/api/v1/email/messages"

interface Sender extends Carried {
  readonly mailbox: Mailbox
}

const aSender = async (): Promise<Sender> => {
  const agent = await anAgent(service.edges)
  const mailbox = dataOf<Mailbox>(await agent.client.call("POST", "/api/v1/email/mailboxes", { body: {} }))
  return { ...agent, mailbox }
}

const send = ({ client, mailbox }: Sender, body: object, options: object = {}) =>
  client.call("POST", SEND, { body: { from: mailbox.id, subject: "Hello", text: "Hi.", ...body }, ...options })

const look = async <A>({ client }: Carried, id: string): Promise<A> =>
  dataOf<A>(await client.call("GET", `${MESSAGES}/${id}`))

const listed = async <A>({ client }: Carried, query = ""): Promise<ReadonlyArray<A>> =>
  dataOf<ReadonlyArray<A>>(await client.call("GET", `${MESSAGES}${query}`))

/** Each header in one line. */
const unfolded = (taken: Taken | undefined): string => (taken?.raw ?? "").replaceAll(/\r\n[ \t]+/g, " ")

const settled = (sender: Sender, id: string, status: string): Promise<SentMail> =>
  waitFor(
    async () => {
      const found = await look<SentMail>(sender, id)
      return found.status === status ? found : null
    },
    { describe: `${id} is ${status}` }
  )

describe("between agents", () => {
  it("arrives, is answered, and is one thread", async () => {
    const [ada, bob] = [await aSender(), await aSender()]
    const answer = await send(ada, {
      to: [`Bob <${bob.mailbox.address}>`],
      subject: "A question",
      text: "How are you?"
    })
    expect(answer.status).toBe(202)
    const sent = dataOf<ListedSent>(answer)
    expect(sent).toMatchObject({ status: "sent", box: "sent", subject: "A question" })
    const [came] = await waitFor(async () => {
      const all = await listed<ListedMail>(bob)
      return all.length > 0 ? all : null
    })
    expect(came).toMatchObject({
      from: { address: ada.mailbox.address },
      subject: "A question",
      verdicts: { spf: "PASS", dkim: "PASS", dmarc: "PASS" }
    })
    const reply = dataOf<ListedSent>(
      await send(bob, {
        to: [ada.mailbox.address],
        subject: "Re: A question",
        text: "Well.",
        in_reply_to: came?.message_id
      })
    )
    expect(reply.in_reply_to).toBe(came?.message_id)
    const [thread] = await waitFor(async () => {
      const all = dataOf<ReadonlyArray<MailThread>>(await ada.client.call("GET", "/api/v1/email/threads"))
      return all[0]?.messages === 2 ? all : null
    })
    expect(thread).toMatchObject({ subject: "A question", messages: 2, unread: 1 })
    const whole = await listed<ListedMail | ListedSent>(ada, `?thread=${thread?.id}`)
    expect(whole.map(({ box }) => box)).toEqual(["inbox", "sent"])
    expect(await look<SentMail>(ada, sent.message_id)).toMatchObject({ text: "How are you?", thread_id: thread?.id })
    expect((await settled(ada, sent.message_id, "delivered")).recipients[0]?.status).toBe("delivered")
  })
})

describe("to the world", () => {
  it("goes to the servers of its recipient, as the law wants its headers", async () => {
    const ada = await aSender()
    const to = `zoe.${randomUUID()}@world.example`
    const answer = await send(ada, {
      to: [`Zoë <${to}>`],
      subject: "Grüße",
      text: "Hi.\n.\nFrom here",
      html: "<p>Hi.</p>",
      bcc: [`hidden.${to}`],
      attachments: [{ filename: "../a b.txt", content_type: "text/plain", content_base64: btoa("bytes") }]
    })
    expect(dataOf<ListedSent>(answer).status).toBe("sent")
    await settled(ada, dataOf<ListedSent>(answer).message_id, "delivered")
    const [taken] = world.to(to)
    expect(taken?.from).toMatch(new RegExp(`^bounces\\+\\d+-1-[0-9a-f]{16}@${DOMAIN}$`))
    const raw = unfolded(taken)
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(raw).toMatch(new RegExp(`^X-Hub-Agent: ${ada.agent.hx_id} \\(`, "m"))
    expect(raw).toMatch(/^Message-ID: <em_\d+\.[0-9a-f]{16}@/im)
    expect(raw).toMatch(/^List-Unsubscribe: <mailto:unsubscribe\+/m)
    expect(raw).toContain('filename="a b.txt"')
    expect(raw).not.toContain("hidden")
    expect(raw).toContain("abuse@hub.example")
    expect(world.to(`hidden.${to}`)).toHaveLength(1)
  })

  it("is put off by what passes, and goes out later", async () => {
    const ada = await aSender()
    const local = randomUUID()
    world.refuses.set(local, { at: "rcpt", code: 451, says: "4.2.0 later" })
    const sent = dataOf<ListedSent>(await send(ada, { to: [`${local}@world.example`] }))
    expect(sent.status).toBe("queued")
    world.refuses.delete(local)
    await settled(ada, sent.message_id, "delivered")
    expect(world.to(`${local}@world.example`)).toHaveLength(1)
  })

  it.each([
    ["an address that its server does not know", "rcpt", 550, "5.1.1 nobody"],
    ["one without an enhanced code", "rcpt", 550, "nobody"]
  ] as const)("bounces from %s, which is told, counted and not written to again", async (_name, at, code, says) => {
    const ada = await aSender()
    const local = randomUUID()
    const to = `${local}@world.example`
    world.refuses.set(local, { at, code, says })
    const sent = dataOf<ListedSent>(await send(ada, { to: [to] }))
    expect(sent.status).toBe("bounced")
    const { payload } = await told(ada, "email.bounced")
    expect(payload).toMatchObject({ message_id: sent.message_id, recipients: [to] })
    const bob = await aSender()
    const again = await waitFor(async () => {
      const answer = await send(bob, { to: [`Zoe <${to.toUpperCase()}>`] })
      return answer.status === 422 ? answer : null
    })
    expect(outcome(again)).toBe("422 email_recipient_suppressed")
    expect(again.json).toMatchObject({ error: { details: { suppressed: [to] } } })
    expect(dataOf(await ada.client.call("GET", "/api/v1/email"))).toMatchObject({
      sending: { used_day: 1, bounce_rate: 1 }
    })
  })

  it.each([
    ["the message itself is not wanted", "data", 554, "5.7.1 spam"],
    ["its server does not like whoever sends", "rcpt", 550, "5.7.1 you are on a list"]
  ] as const)("fails where %s, which says nothing of the address", async (_name, at, code, says) => {
    const ada = await aSender()
    const local = randomUUID()
    world.refuses.set(local, { at, code, says })
    expect(outcome(await send(ada, { to: [`${local}@world.example`] }))).toBe("502 email_send_failed")
    world.refuses.delete(local)
    expect((await send(ada, { to: [`${local}@world.example`] })).status).toBe(202)
  })

  it.each([
    ["that does not exist", "nobody.example", "bounced"],
    ["that takes no mail", "silent.example", "bounced"]
  ])("bounces at a domain %s", async (_name, domain, status) => {
    const ada = await aSender()
    expect(dataOf<ListedSent>(await send(ada, { to: [`a@${domain}`] })).status).toBe(status)
  })

  it("never knocks at a door that only the service can reach", async () => {
    const ada = await aSender()
    expect(outcome(await send(ada, { to: ["a@inside.example"] }))).toBe("502 email_send_failed")
  })

  it("bounces at an address of the service that nobody has", async () => {
    const ada = await aSender()
    expect(dataOf<ListedSent>(await send(ada, { to: [`nobody-there@${DOMAIN}`] })).status).toBe("bounced")
  })
})

const dsn = (action: string, status: string) =>
  [
    "From: mailer-daemon@world.example",
    "Subject: Undelivered",
    "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
    "",
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.world.example",
    "",
    "Final-Recipient: rfc822; a@world.example",
    `Action: ${action}`,
    `Status: ${status}`,
    "",
    "--b--",
    ""
  ].join("\r\n")

const arf = (original: string) =>
  [
    "From: reports@world.example",
    "Content-Type: multipart/report; report-type=feedback-report; boundary=b",
    "",
    "--b",
    "Content-Type: message/feedback-report",
    "",
    "Feedback-Type: abuse",
    "User-Agent: test/1",
    "",
    "--b",
    "Content-Type: message/rfc822",
    "",
    original,
    "--b--",
    ""
  ].join("\r\n")

describe("what comes back", () => {
  const port = () => service.system.mail?.port ?? 0
  const sentOut = async () => {
    const ada = await aSender()
    const to = `${randomUUID()}@world.example`
    const sent = dataOf<ListedSent>(await send(ada, { to: [to] }))
    await settled(ada, sent.message_id, "delivered")
    const [taken] = world.to(to)
    return { ada, to, sent, taken: taken ?? { from: "", to: [], raw: "" } }
  }

  it("as a report of failure is a bounce; of a delay nothing, of a full mailbox a failure", async () => {
    const [gone, slow, full] = [await sentOut(), await sentOut(), await sentOut()]
    await deliver(port(), { from: "", to: slow.taken.from, raw: dsn("delayed", "4.4.1") })
    await deliver(port(), { from: "", to: full.taken.from, raw: dsn("failed", "5.2.2") })
    await deliver(port(), { from: "", to: gone.taken.from, raw: dsn("failed", "5.1.1") })
    expect((await settled(gone.ada, gone.sent.message_id, "bounced")).recipients[0]?.detail).toContain("5.1.1")
    await settled(full.ada, full.sent.message_id, "failed")
    expect((await look<SentMail>(slow.ada, slow.sent.message_id)).status).toBe("delivered")
  })

  it("counts once, however often it comes", async () => {
    const { ada, sent, taken } = await sentOut()
    for (let n = 0; n < 3; n++) await deliver(port(), { from: "", to: taken.from, raw: dsn("failed", `5.1.${n}`) })
    await settled(ada, sent.message_id, "bounced")
    await told(ada, "email.bounced")
    const log = dataOf<ReadonlyArray<typeof MailEvent.Type>>(await ada.client.call("GET", "/api/v1/email/log"))
    expect(log.filter(({ event }) => event === "bounced")).toHaveLength(1)
  })

  it("as a complaint at abuse@ ends the agent's sending; receiving goes on", async () => {
    const { ada, to, sent, taken } = await sentOut()
    await deliver(port(), { to: `abuse@${DOMAIN}`, raw: arf(taken.raw) })
    const { payload } = await told(ada, "email.complained")
    expect(payload).toMatchObject({ message_id: sent.message_id, recipients: [to] })
    const suspended = await told(ada, "email.sending_suspended")
    expect(suspended.payload).toMatchObject({ complaints: 1, bounces: 0, window_days: 30 })
    expect(outcome(await send(ada, { to: ["b@world.example"] }))).toBe("403 email_sending_suspended")
    expect(dataOf(await ada.client.call("GET", "/api/v1/email"))).toMatchObject({ sending: { status: "suspended" } })
    await deliver(port(), { to: ada.mailbox.address, raw: message({ to: ada.mailbox.address }) })
    await waitFor(async () => ((await listed<ListedMail>(ada)).length > 0 ? true : null))
  })

  it("is not believed without its token, and nothing but reports is read at abuse@", async () => {
    const { ada, sent, taken } = await sentOut()
    const forged = taken.from.replace(/-[0-9a-f]{16}@/, "-0123456789abcdef@")
    await expect(deliver(port(), { from: "", to: forged, raw: dsn("failed", "5.1.1") })).rejects.toThrow(/550/)
    const stripped = taken.raw.replace(/^Message-ID:.*\r\n/im, "").replaceAll(/bounces\+\S+/g, "")
    await expect(deliver(port(), { to: `abuse@${DOMAIN}`, raw: arf(stripped) })).rejects.toThrow(/550/)
    await expect(deliver(port(), { to: `abuse@${DOMAIN}`, raw: "Subject: x\r\n\r\nx" })).rejects.toThrow(/550/)
    expect((await look<SentMail>(ada, sent.message_id)).status).toBe("delivered")
  })

  it("from whoever wants no more is the last that he gets", async () => {
    const ada = await aSender()
    const [one, other] = [`${randomUUID()}@world.example`, `${randomUUID()}@world.example`]
    const sent = dataOf<ListedSent>(await send(ada, { to: [one, other] }))
    await settled(ada, sent.message_id, "delivered")
    const [, unsubscribe = ""] = /^List-Unsubscribe: <mailto:([^>]+)>/m.exec(unfolded(world.to(one)[0])) ?? []
    await deliver(port(), { from: one, to: unsubscribe, raw: "Subject: no\r\n\r\n" })
    await waitFor(async () => ((await send(ada, { to: [one] })).status === 422 ? true : null))
    expect((await send(ada, { to: [other] })).status).toBe(202)
  })
})

describe("what is refused", () => {
  it.each([
    ["no recipient", { to: [] }, "to"],
    ["no address", { to: ["nobody"] }, "to.0"],
    ["a line break in an address", { to: ["a@b.example\r\nBcc: c@d.example"] }, "to.0"],
    ["a line break in the subject", { to: ["a@b.example"], subject: "x\r\nBcc: c@d.example" }, "subject"],
    ["a line break of another sort", { to: ["a@b.example"], subject: "x\u2028y" }, "subject"],
    ["a long subject", { to: ["a@b.example"], subject: "x".repeat(201) }, "subject"],
    [
      "eleven recipients",
      {
        to: Array.from({ length: 6 }, (_, n) => `a${n}@b.example`),
        cc: Array.from({ length: 5 }, (_, n) => `c${n}@b.example`)
      },
      "to"
    ],
    ["neither text nor HTML", { to: ["a@b.example"], text: " " }, "text"],
    ["a text too long", { to: ["a@b.example"], text: "ä".repeat(131_073) }, "text"],
    [
      "an attachment that is no base64",
      { to: ["a@b.example"], attachments: [{ filename: "a", content_base64: "?" }] },
      "attachments.0.content_base64"
    ],
    [
      "a file name of two lines",
      { to: ["a@b.example"], attachments: [{ filename: "a\r\nb", content_base64: "" }] },
      "attachments.0.filename"
    ],
    [
      "a type that is none",
      { to: ["a@b.example"], attachments: [{ filename: "a", content_type: "x\r\ny: z", content_base64: "" }] },
      "attachments.0.content_type"
    ],
    [
      "5 MB and more",
      { to: ["a@b.example"], attachments: [{ filename: "a", content_base64: "A".repeat(6_990_512) }] },
      "attachments"
    ],
    ["an answer to nothing", { to: ["a@b.example"], in_reply_to: "em_999999" }, "in_reply_to"],
    ["an answer to what is none", { to: ["a@b.example"], in_reply_to: "x" }, "in_reply_to"]
  ])("%s is told with its field", async (_name, body, field) => {
    const ada = await aSender()
    const answer = await send(ada, body)
    expect(outcome(answer)).toBe("422 validation_error")
    expect(fieldOf(answer)).toBe(field)
    expect(dataOf(await ada.client.call("GET", "/api/v1/email"))).toMatchObject({ sending: { used_day: 0 } })
  })

  it("another's mailbox, a closed one, and a secret", async () => {
    const [ada, bob] = [await aSender(), await aSender()]
    const to = ["a@world.example"]
    expect(outcome(await send(ada, { to, from: bob.mailbox.id }))).toBe("403 email_sender_not_yours")
    expect(outcome(await send(ada, { to, from: bob.mailbox.address }))).toBe("403 email_sender_not_yours")
    expect(outcome(await send(ada, { to, reply_to: bob.mailbox.id }))).toBe("403 email_sender_not_yours")
    expect(outcome(await send(ada, { to, text: `key = whsec_${randomBytes(32).toString("base64")}` }))).toBe(
      "422 content_secret"
    )
    await ada.client.call("DELETE", `/api/v1/email/mailboxes/${ada.mailbox.id}`, { body: { confirm: "delete" } })
    expect(outcome(await send(ada, { to }))).toBe("403 email_sender_not_yours")
  })

  it("more than a new agent may send in a day, exactly, over two edges at once", async () => {
    const ada = await aSender()
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, n) => send(ada, { to: [`q${n}.${randomUUID()}@world.example`] }))
    )
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(10)
    const refused = answers.find(({ status }) => status === 429)
    expect(outcome(refused ?? answers[0]!)).toBe("429 email_quota")
    expect(refused?.json).toMatchObject({ error: { details: { per_day: 10, first_week_until: expect.any(String) } } })
    expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(80_000)
  })
})

describe("a retry", () => {
  it("under the same key goes out once, and counts once", async () => {
    const ada = await aSender()
    const to = `${randomUUID()}@world.example`
    const options = { headers: { "idempotency-key": randomUUID() } }
    const answers = []
    for (let n = 0; n < 3; n++) answers.push(await send(ada, { to: [to] }, options))
    const ids = new Set(answers.map((answer) => dataOf<ListedSent>(answer).message_id))
    expect(ids.size).toBe(1)
    expect(world.to(to)).toHaveLength(1)
    expect(dataOf(await ada.client.call("GET", "/api/v1/email"))).toMatchObject({ sending: { used_day: 1 } })
  })
})

describe("what is sent", () => {
  it("stands nowhere in clear, and goes with its mailbox", async () => {
    const ada = await aSender()
    const planted = ["planted words of a sending", "planted.recipient", "planted subject line"]
    const sent = dataOf<ListedSent>(
      await send(ada, {
        to: ["planted.recipient@world.example"],
        subject: "planted subject line",
        text: "planted words of a sending"
      })
    )
    await settled(ada, sent.message_id, "delivered")
    expect(await listed<ListedSent>(ada, "?box=sent&q=planted")).toHaveLength(1)
    expect(await foundIn(service, planted)).toEqual([])
    await ada.client.call("DELETE", `/api/v1/email/mailboxes/${ada.mailbox.id}`, { body: { confirm: "delete" } })
    expect(outcome(await ada.client.call("GET", `${MESSAGES}/${sent.message_id}`))).toBe("404 not_found")
    expect(await listed<ListedSent>(ada, "?box=sent")).toEqual([])
  })
})
