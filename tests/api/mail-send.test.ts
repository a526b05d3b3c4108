/** Mail that agents send, over two edges and real SMTP (spec 3.6, 4.9; contract 20). */
import { randomUUID } from "node:crypto"
import { authenticate } from "mailauth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { DnsRecord } from "../../schemas/mail-domain/records.ts"
import type { ListedMail, MailThread } from "../../schemas/mail/records.ts"
import type { SendingState } from "../../schemas/mail/sending-operations.ts"
import type { ListedSent, SentMail } from "../../schemas/mail/sent.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { operate } from "../support/hub.ts"
import { foundIn } from "../support/planted.ts"
import { PersonClient } from "../support/person.ts"
import { anAgent, told } from "../support/sponsorship.ts"
import {
  aSender,
  closeSending,
  DOMAIN,
  listed,
  look,
  MESSAGES,
  openSending,
  send,
  service,
  settled,
  stranger,
  unfolded,
  world
} from "./sending.ts"

beforeAll(() => openSending())
afterAll(closeSending)

/** By the key that the operator was told to publish. */
const isSigned = async (raw: string): Promise<boolean> => {
  const told = await operate(service.system, ["mail", "domain", "--json"])
  const { records }: { readonly records: ReadonlyArray<DnsRecord> } = JSON.parse(told)
  const value = records.find(({ name }) => name.includes("_domainkey"))?.value ?? ""
  const resolver = (name: string, type: string) =>
    type === "TXT" && name.startsWith("hub1._domainkey.")
      ? Promise.resolve([[value]])
      : Promise.reject(Object.assign(new Error("none"), { code: "ENOTFOUND" }))
  const { dkim } = await authenticate(raw, {
    ip: "127.0.0.1",
    helo: "x",
    sender: `a@${DOMAIN}`,
    resolver,
    disableBimi: true
  })
  return dkim.results.some(({ status }) => status.result === "pass" && status.aligned === DOMAIN)
}

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

describe("to several tags of one agent", () => {
  it("comes once, with all of them (spec 4.9)", async () => {
    const [ada, bob] = [await aSender(), await aSender()]
    const [local, domain] = bob.mailbox.address.split("@")
    const to = ["one", "two"].map((tag) => `${local}+${tag}@${domain}`)
    const sent = dataOf<ListedSent>(await send(ada, { to, cc: [bob.mailbox.address], subject: "Tags" }))
    await settled(ada, sent.message_id, "delivered")
    await send(ada, { to: [bob.mailbox.address], subject: "The last" })
    const came = await waitFor(async () => {
      const all = await listed<ListedMail>(bob)
      return all.some(({ subject }) => subject === "The last") ? all : null
    })
    expect(came.map(({ subject, tags }) => [subject, tags.toSorted()]).toSorted()).toEqual([
      ["Tags", ["one", "two"]],
      ["The last", []]
    ])
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
    expect(await isSigned(taken?.raw ?? "")).toBe(true)
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
    await waitFor(async () => {
      const { sending } = dataOf<{ readonly sending: SendingState }>(await ada.client.call("GET", "/api/v1/email"))
      return sending.used_day === 1 && sending.bounce_rate === 1 ? true : null
    })
  })

  it.each([
    ["the message itself is not wanted", "data", 554, "5.7.1 spam"],
    ["the message itself is too large for its server", "rcpt", 552, "5.3.4 too large"],
    ["its server has us on a list, without a code of its own", "rcpt", 550, "blocked using a list"],
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

  it("bounces at an address of the service that nobody has, and arrives once somebody has it", async () => {
    const [ada, bob] = [await aSender(), await anAgent(service.edges)]
    const to = `${bob.agent.handle}@${DOMAIN}`
    expect(dataOf<ListedSent>(await send(ada, { to: [to] })).status).toBe("bounced")
    await told(ada, "email.bounced")
    await bob.client.call("POST", "/api/v1/email/mailboxes", { body: {} })
    expect(dataOf<ListedSent>(await send(ada, { to: [to] })).status).toBe("sent")
  })

  it("does not go out to whoever wants no more by then, though it was queued before", async () => {
    const [ada, bob] = [await aSender(), await aSender()]
    const to = stranger()
    const local = to.slice(0, to.indexOf("@"))
    world.refuses.set(local, { at: "rcpt", code: 451, says: "4.2.0 later" })
    const sent = dataOf<ListedSent>(await send(ada, { to: [to] }))
    expect(sent.status).toBe("queued")
    world.refuses.set(local, { at: "rcpt", code: 550, says: "5.1.1 nobody" })
    expect(dataOf<ListedSent>(await send(bob, { to: [to] })).status).toBe("bounced")
    await waitFor(async () => ((await send(bob, { to: [to] })).status === 422 ? true : null))
    world.refuses.delete(local)
    const found = await waitFor(async () => {
      const one = await look<SentMail>(ada, sent.message_id)
      return one.status === "queued" ? null : one
    })
    // Whichever came first: its own attempt, or the other's bounce.
    expect(["failed", "bounced"]).toContain(found.status)
    expect(world.to(to)).toEqual([])
  })
})

describe("a letter to a person", () => {
  it("takes the same way", async () => {
    const person = new PersonClient({ edge: () => service.edges[0] ?? "", email: stranger() })
    expect(outcome(await person.signUp())).toBe("201")
    const letter = await waitFor(() => world.to(person.email)[0] ?? null, { describe: "the letter comes" })
    expect(letter.raw).toContain("/owner/verify?token=3D")
  })
})

describe("an attachment", () => {
  it("that is a message has no lines of its own among ours", async () => {
    const ada = await aSender()
    const to = stranger()
    const content_base64 = btoa("Subject: x\r\n\r\na\r.\r\nMAIL FROM:<root@mail.hub.example>\r\n")
    for (const [n, content_type] of ["message/rfc822", "Multipart/mixed"].entries()) {
      const sent = await send(ada, { to: [to], attachments: [{ filename: "x.eml", content_type, content_base64 }] })
      await settled(ada, dataOf<ListedSent>(sent).message_id, "delivered")
      expect(world.to(to)[n]?.raw).not.toContain("MAIL FROM")
      expect(world.to(to)[n]?.raw.replaceAll("\r\n", "")).toContain(content_base64)
    }
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
    await waitFor(async () => ((await listed<ListedSent>(ada, "?box=sent&q=planted")).length === 1 ? true : null))
    expect(await foundIn(service, planted)).toEqual([])
    await ada.client.call("DELETE", `/api/v1/email/mailboxes/${ada.mailbox.id}`, { body: { confirm: "delete" } })
    expect(outcome(await ada.client.call("GET", `${MESSAGES}/${sent.message_id}`))).toBe("404 not_found")
    expect(await listed<ListedSent>(ada, "?box=sent")).toEqual([])
  })
})
