/** Mail that comes in, by SMTP, over two edges (spec 2.9, 4.9; contract 20). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ListedMail, type Mail, type Mailbox, type MailCodes, NO_RULES } from "../../schemas/mail/records.ts"
import { waitFor } from "../harness/index.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { foundIn } from "../support/planted.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried, told } from "../support/sponsorship.ts"

const DOMAIN = "mail.hub.example"
let service: TestService

beforeAll(async () => {
  service = await testService({
    metrics: true,
    edges: 2,
    actors: 2,
    mail: DOMAIN,
    env: { HUB_DNS_SERVERS: "127.0.0.1:9" }
  })
})
afterAll(() => service?.stop())

const MAILBOXES = "/api/v1/email/mailboxes"
const MESSAGES = "/api/v1/email/messages"

const open = (agent: Carried, body: object = {}) => agent.client.call("POST", MAILBOXES, { body })
const opened = async (agent: Carried, body: object = {}): Promise<Mailbox> => dataOf(await open(agent, body))
const withMailbox = async () => {
  const agent = await anAgent(service.edges)
  return { agent, mailbox: await opened(agent) }
}
const listed = async ({ client }: Carried, query = "") =>
  dataOf<ReadonlyArray<ListedMail>>(await client.call("GET", `${MESSAGES}${query}`))
const port = () => service.system.mail?.port ?? 0
const arrived = (agent: Carried, count = 1) =>
  waitFor(async () => {
    const all = await listed(agent)
    return all.length >= count ? all : null
  })

describe("a mailbox", () => {
  it("is the agent's handle at the default domain, or its handle with a suffix, and nobody else's", async () => {
    const [ada, bob] = [await anAgent(service.edges), await anAgent(service.edges)]
    const first = await opened(ada)
    expect(first).toMatchObject({
      address: `${ada.agent.handle}@${DOMAIN}`,
      label: null,
      local_part: ada.agent.handle,
      domain: DOMAIN,
      status: "active",
      rules: NO_RULES
    })
    expect(outcome(await open(ada))).toBe("409 email_mailbox_exists")
    expect(await opened(ada, { local_part: `${ada.agent.handle}.shops`, label: "For shops" })).toMatchObject({
      address: `${ada.agent.handle}.shops@${DOMAIN}`,
      label: "For shops"
    })
    expect(outcome(await open(bob, { local_part: ada.agent.handle }))).toBe("403 email_local_not_yours")
    expect(outcome(await open(bob, { local_part: "postmaster" }))).toBe("403 email_local_reserved")
    expect(outcome(await open(bob, { domain: "example.com" }))).toBe("404 email_domain_unknown")
    expect(fieldOf(await open(bob, { local_part: "A B" }))).toBe("local_part")
    expect(outcome(await bob.client.call("GET", `${MAILBOXES}/${first.id}`))).toBe("404 not_found")
    expect(dataOf<ReadonlyArray<Mailbox>>(await ada.client.call("GET", MAILBOXES))).toHaveLength(2)
  })

  it("is one of ten at most", async () => {
    const ada = await anAgent(service.edges)
    for (let n = 0; n < 10; n++) await opened(ada, { local_part: `${ada.agent.handle}.n${n}` })
    expect(outcome(await open(ada))).toBe("409 email_mailbox_limit")
  })
})

describe("a message", () => {
  it("arrives with its tag, is told of, listed, read and marked", async () => {
    const { agent, mailbox } = await withMailbox()
    const to = `${agent.agent.handle}+shop@${DOMAIN}`
    const body = "Welcome.\r\nSee you soon."
    expect(await deliver(port(), { to, raw: message({ to, subject: "=?utf-8?q?Gr=C3=BC=C3=9Fe?=", body }) })).toContain(
      "2.0.0"
    )
    const [mail] = await arrived(agent)
    expect(mail).toMatchObject({
      message_id: expect.stringMatching(/^em_\d+$/),
      mailbox: { id: mailbox.id, address: mailbox.address },
      to,
      tag: "shop",
      tags: ["shop"],
      from: { address: "shop@example.com", name: "Shop" },
      subject: "Grüße",
      excerpt: "Welcome. See you soon.",
      attachments: [],
      attachment_count: 0,
      verdicts: { spam: "NONE", virus: "NONE" },
      read_at: null
    })
    const notice = await told(agent, "email.received")
    expect(notice.payload).toMatchObject({ message_id: mail?.message_id, subject: "Grüße", tag: "shop" })
    const path = `${MESSAGES}/${mail?.message_id}`
    const peeked = dataOf<Mail>(await agent.client.call("GET", `${path}?peek=1`))
    expect(peeked).toMatchObject({ text: "Welcome.\nSee you soon.\n", read_at: null, parsed: true, truncated: false })
    expect(await listed(agent, "?unread=1")).toHaveLength(1)
    const read = dataOf<Mail>(await agent.client.call("GET", path))
    expect(read.read_at).toEqual(expect.any(String))
    expect(read).not.toHaveProperty("html")
    expect(await listed(agent, "?unread=1")).toHaveLength(0)
    expect(await listed(agent, "?q=WELCOME%20gr%C3%BC%C3%9Fe")).toHaveLength(1)
    expect(await listed(agent, "?q=welcome%20goodbye")).toHaveLength(0)
    const stranger = await anAgent(service.edges)
    expect(outcome(await stranger.client.call("GET", path))).toBe("404 not_found")
  })

  it("to several tags is one", async () => {
    const { agent } = await withMailbox()
    const to = ["a", "b"].map((tag) => `${agent.agent.handle}+${tag}@${DOMAIN}`)
    await deliver(port(), { to, raw: message({ to: to.join(", ") }) })
    const all = await arrived(agent)
    expect(all).toHaveLength(1)
    expect(all[0]?.tags).toEqual(["a", "b"])
  })

  it("to nobody is refused at once, and so is one to somewhere else", async () => {
    const raw = message({ to: "x" })
    await expect(deliver(port(), { to: `nobody-there@${DOMAIN}`, raw })).rejects.toThrow(/550/)
    await expect(deliver(port(), { to: "somebody@example.com", raw })).rejects.toThrow(/550/)
  })

  it("sent again by a sender that heard no answer is received once", async () => {
    const { agent } = await withMailbox()
    const to = `${agent.agent.handle}@${DOMAIN}`
    const raw = message({ to })
    await deliver(port(), { to, raw })
    await deliver(port(), { to, raw })
    await deliver(port(), { to, raw: message({ to, subject: "another" }) })
    expect(await arrived(agent, 2)).toHaveLength(2)
  })

  it("has attachments as bytes under harmless headers, and HTML where it is asked for", async () => {
    const { agent } = await withMailbox()
    const to = `${agent.agent.handle}@${DOMAIN}`
    const raw = [
      `From: a@example.com`,
      `To: ${to}`,
      "Subject: parts",
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "--b",
      "Content-Type: text/html; charset=utf-8",
      "",
      "<p>Hello <b>there</b></p><script>alert(1)</script>",
      "--b",
      'Content-Type: text/html; name="../../evil.html"',
      'Content-Disposition: attachment; filename="../../evil.html"',
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from("<script>1</script>").toString("base64"),
      "--b--",
      ""
    ].join("\r\n")
    await deliver(port(), { to, raw })
    const [mail] = await arrived(agent)
    const path = `${MESSAGES}/${mail?.message_id}`
    const whole = dataOf<Mail>(await agent.client.call("GET", `${path}?include=html`))
    expect(whole.html).toContain("<p>Hello")
    expect(whole.text.trim()).toBe("Hello there")
    expect(whole.attachments).toEqual([
      { n: 1, filename: "evil.html", content_type: "text/html", size: 18, sha256: expect.any(String) }
    ])
    const answer = await agent.client.call("GET", `${path}/attachments/1`)
    expect([answer.status, answer.text]).toEqual([200, "<script>1</script>"])
    expect(answer.headers).toMatchObject({
      "content-type": "application/octet-stream",
      "x-content-type-options": "nosniff",
      "x-hub-declared-type": "text/html",
      "x-hub-sha256": whole.attachments[0]?.sha256
    })
    expect(answer.headers["content-security-policy"]).toContain("sandbox")
    expect(outcome(await agent.client.call("GET", `${path}/attachments/2`))).toBe("404 not_found")
  })
})

describe("rules", () => {
  it("drop whom they block, which the journal tells", async () => {
    const { agent, mailbox } = await withMailbox()
    const change = (body: object) => agent.client.call("PATCH", `${MAILBOXES}/${mailbox.id}`, { body })
    expect(fieldOf(await change({ rules: { block_senders: ["not a sender"] } }))).toBe("rules.block_senders.0")
    expect(dataOf<Mailbox>(await change({ rules: { block_senders: ["example.com"] } })).rules).toEqual({
      ...NO_RULES,
      block_senders: ["example.com"]
    })
    const to = `${agent.agent.handle}@${DOMAIN}`
    await deliver(port(), { from: "x@news.example.com", to, raw: message({ from: "x@news.example.com", to }) })
    await deliver(port(), { from: "y@example.org", to, raw: message({ from: "y@example.org", to }) })
    expect((await arrived(agent)).map(({ from }) => from.address)).toEqual(["y@example.org"])
    const log = dataOf<ReadonlyArray<object>>(await agent.client.call("GET", "/api/v1/email/log"))
    expect(log.map((one) => ("event" in one ? one.event : null))).toEqual(["received", "dropped", "opened"])
    expect(log[1]).toMatchObject({
      counterpart: "x@news.example.com",
      detail: "block_senders",
      message_id: null,
      mailbox_id: mailbox.id
    })
  })
})

describe("closed", () => {
  it("a mailbox takes nothing more, its mail is gone, and its address stays the agent's", async () => {
    const { agent, mailbox } = await withMailbox()
    const to = `${agent.agent.handle}@${DOMAIN}`
    await deliver(port(), { to, raw: message({ to }) })
    const [mail] = await arrived(agent)
    const close = (body: object) => agent.client.call("DELETE", `${MAILBOXES}/${mailbox.id}`, { body })
    expect(outcome(await close({}))).toBe("422 confirmation_required")
    expect(outcome(await close({ confirm: "delete" }))).toBe("200")
    expect(await listed(agent)).toEqual([])
    expect(outcome(await agent.client.call("GET", `${MESSAGES}/${mail?.message_id}`))).toBe("404 not_found")
    await expect(deliver(port(), { to, raw: message({ to }) })).rejects.toThrow(/550/)
    await waitFor(async () => {
      const { streams } = service.view.manager
      const { state } = await streams.info("HUB_MAIL", { subjects_filter: `hub.mail.${mailbox.id}.>` })
      const keys = await streams.info("HUB_MAIL_KEYS", { subjects_filter: `hub.mailkey.${mailbox.id}` })
      return Object.keys(state.subjects ?? {}).length + Object.keys(keys.state.subjects ?? {}).length === 0
    })
    const again = await opened(agent)
    expect([again.address, again.id === mailbox.id]).toEqual([to, false])
  })
})

it("what mail says stands in the clear nowhere", async () => {
  const { agent } = await withMailbox()
  const to = `${agent.agent.handle}@${DOMAIN}`
  const planted = "wisteria-lantern-4711"
  await deliver(port(), { to, raw: message({ to, from: `${planted}@example.com`, subject: planted, body: planted }) })
  await arrived(agent)
  await told(agent, "email.received")
  expect(await foundIn(service, [planted])).toEqual([])
})

it("codes are held for, and come within a moment of the mail", async () => {
  const { agent } = await withMailbox()
  const to = `${agent.agent.handle}@${DOMAIN}`
  const held = agent.client.call("GET", "/api/v1/email/codes?wait_seconds=25")
  await deliver(port(), { to, raw: message({ to, subject: "Your code", body: "Your verification code is 482913." }) })
  const codes = dataOf<ReadonlyArray<MailCodes>>(await held)
  expect(codes.map(({ codes }) => codes.map(({ code }) => code))).toEqual([["482913"]])
})
