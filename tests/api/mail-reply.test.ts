/** Answers to mail (contract 22): whom they go to follows from the message. */
import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto"
import { dkimSign } from "mailauth/lib/dkim/sign.js"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ListedMail, Mail, MailThread } from "../../schemas/mail/records.ts"
import type { ListedSent } from "../../schemas/mail/sent.ts"
import { waitFor } from "../harness/index.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import {
  aSender,
  closeSending,
  DOMAIN,
  listed,
  look,
  MESSAGES,
  openSending,
  type Sender,
  send,
  service,
  stranger,
  unfolded,
  world
} from "./sending.ts"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const KEY = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64")
const PEM = privateKey.export({ format: "pem", type: "pkcs8" }).toString()

beforeAll(() =>
  openSending(
    {},
    {},
    {
      "_dmarc.world.example": { TXT: ["v=DMARC1; p=reject"] },
      "s1._domainkey.world.example": { TXT: [`v=DKIM1; k=ed25519; p=${KEY}`] }
    }
  )
)
afterAll(closeSending)

const answer = ({ client }: Pick<Sender, "client">, id: string, body: object, options: object = {}) =>
  client.call("POST", `${MESSAGES}/${id}/reply`, { body, ...options })

const newest = (to: Sender, subject: string): Promise<ListedMail> =>
  waitFor(async () => (await listed<ListedMail>(to)).find((one) => one.subject === subject) ?? null, {
    describe: `the mail "${subject}"`
  })

/** Mail from outside, whose header says what the test wants. */
const comes = async (to: Sender, fields: Partial<Parameters<typeof message>[0]>): Promise<ListedMail> => {
  const { subject = `s-${randomUUID()}` } = fields
  const raw = message({ to: to.mailbox.address, ...fields, subject })
  await deliver(service.system.mail?.port ?? 0, { to: to.mailbox.address, raw })
  return newest(to, subject)
}

describe("an answer", () => {
  it("goes to the sender, from the mailbox that the message came to, in its thread", async () => {
    const [ada, bob] = [await aSender(), await aSender()]
    const files = [{ filename: "a.txt", content_base64: btoa("bytes") }]
    await send(ada, { to: [bob.mailbox.address], cc: [stranger()], subject: "A question" })
    const came = await newest(bob, "A question")
    const answered = await answer(bob, came.id, { text: "Well.", html: "<p>Well.</p>", attachments: files })
    expect(answered.status).toBe(202)
    expect(dataOf<ListedSent>(answered)).toMatchObject({
      status: "sent",
      mailbox: { id: bob.mailbox.id },
      to: [ada.mailbox.address],
      cc: [],
      bcc: [],
      subject: "Re: A question",
      in_reply_to: came.id,
      attachment_count: 1
    })
    await newest(ada, "Re: A question")
    const [thread] = await waitFor(async () => {
      const all = dataOf<ReadonlyArray<MailThread>>(await ada.client.call("GET", "/api/v1/email/threads"))
      return all[0]?.messages === 2 ? all : null
    })
    expect(thread).toMatchObject({ subject: "A question", messages: 2 })
  })

  it("names what it follows from, and is not a second `Re:`", async () => {
    const ada = await aSender()
    const shop = stranger()
    const headers = ["References: <first@x.example>"]
    const came = await comes(ada, { from: `Shop <${shop}>`, subject: "RE: Order", headers })
    expect(dataOf<ListedSent>(await answer(ada, came.id, { text: "Thanks." })).subject).toBe("RE: Order")
    const [taken] = await waitFor(async () => (world.to(shop).length > 0 ? world.to(shop) : null))
    expect(unfolded(taken)).toMatch(/^References: <first@x\.example> <m\d+@example\.com>/m)
    expect(unfolded(taken)).toMatch(/^In-Reply-To: <m\d+@example\.com>/m)
  })

  it("goes to `Reply-To` where the message has one", async () => {
    const ada = await aSender()
    const [shop, desk] = [stranger(), stranger()]
    const came = await comes(ada, { from: shop, headers: [`Reply-To: Desk <${desk}>, other@world.example`] })
    expect(dataOf<ListedSent>(await answer(ada, came.id, { text: "Hi." })).to).toEqual([desk])
  })

  it("goes where the sender's signature says, not where somebody on its way does", async () => {
    const ada = await aSender()
    const [shop, desk, evil] = [stranger(), stranger(), stranger()]
    const key = {
      signingDomain: "world.example",
      selector: "s1",
      privateKey: PEM,
      headerList: "from:to:subject:reply-to"
    }
    const comesSigned = async (subject: string, { signed = "", added = "" }) => {
      const raw = signed + message({ from: shop, to: ada.mailbox.address, subject })
      const { signatures } = await dkimSign(raw, {
        canonicalization: "relaxed/relaxed",
        algorithm: "ed25519-sha256",
        ...key,
        signatureData: [key]
      })
      await deliver(service.system.mail?.port ?? 0, { to: ada.mailbox.address, raw: added + signatures + raw })
      return newest(ada, subject)
    }
    const genuine = await comesSigned("signed", { signed: `Reply-To: ${desk}\r\n`, added: `Cc: ${evil}\r\n` })
    expect(genuine.verdicts).toMatchObject({ dmarc: "PASS", reasons: [] })
    expect(dataOf<ListedSent>(await answer(ada, genuine.id, { text: "Hi.", all: true }))).toMatchObject({
      to: [desk],
      cc: []
    })
    expect((await look<Mail>(ada, genuine.id)).reply_to).toBe(desk)
    const changed = await comesSigned("changed", { added: `Reply-To: ${evil}\r\n` })
    // Without a Reply-To the name alone is signed: none may be added.
    expect(changed.verdicts.dmarc).toBe("FAIL")
    key.headerList = "from:to:subject"
    const other = await comesSigned("unsigned", { added: `Reply-To: ${evil}\r\n` })
    expect(other.verdicts).toMatchObject({ dkim: "PASS", dmarc: "FAIL", reasons: ["reply_to_unsigned"] })
    expect((await look<Mail>(ada, other.id)).reply_to).toBe(evil)
    for (const all of [false, true])
      expect(dataOf<ListedSent>(await answer(ada, other.id, { text: "Hi.", all }))).toMatchObject({
        to: [shop],
        cc: []
      })
  })

  it("to all goes to everybody once, and never to the agent itself", async () => {
    const ada = await aSender()
    const [shop, one, two] = [stranger(), stranger(), stranger()]
    const [local] = ada.mailbox.address.split("@")
    const own = [ada.mailbox.address, `${local}+shops@${DOMAIN}`]
    const headers = [`Cc: ${two}, ${own[1]}, ${one}, nobody, <@x>`]
    const came = await comes(ada, { from: shop, to: `${own[0]}, ${one}, ${shop}`, headers })
    const sent = dataOf<ListedSent>(await answer(ada, came.id, { text: "Hi.", all: true }))
    expect([sent.to, sent.cc]).toEqual([[shop, one], [two]])
    const alone = dataOf<ListedSent>(await answer(ada, came.id, { text: "Hi.", all: false }))
    expect([alone.to, alone.cc]).toEqual([[shop], []])
  })

  it("to all leaves the agent out where the message names it as its sender", async () => {
    const ada = await aSender()
    const [one, two] = [stranger(), stranger()]
    const headers = [`Reply-To: ${ada.mailbox.address}`]
    const came = await comes(ada, { from: stranger(), to: `${ada.mailbox.address}, ${one}`, headers })
    expect(dataOf<ListedSent>(await answer(ada, came.id, { text: "Hi.", all: true })).to).toEqual([one])
    const copied = await comes(ada, { from: stranger(), headers: [...headers, `Cc: ${two}`] })
    expect(dataOf<ListedSent>(await answer(ada, copied.id, { text: "Hi.", all: true }))).toMatchObject({
      to: [two],
      cc: []
    })
    const alone = await comes(ada, { from: stranger(), headers })
    expect(dataOf<ListedSent>(await answer(ada, alone.id, { text: "Hi.", all: true })).to).toEqual([
      ada.mailbox.address
    ])
  })

  it.each(["a..b@world.example", "a\u200b@world.example", `${"a".repeat(200)}@world.example`, "nobody:;"])(
    "goes to the sender where `Reply-To` is %s",
    async (replyTo) => {
      const ada = await aSender()
      const shop = stranger()
      const came = await comes(ada, { from: shop, headers: [`Reply-To: ${replyTo}`] })
      expect(dataOf<ListedSent>(await answer(ada, came.id, { text: "Hi." })).to).toEqual([shop])
    }
  )

  it("goes out once under an Idempotency-Key", async () => {
    const ada = await aSender()
    const shop = stranger()
    const came = await comes(ada, { from: shop })
    const key = { idempotencyKey: randomUUID() }
    const [first, again] = [
      dataOf<ListedSent>(await answer(ada, came.id, { text: "Once." }, key)),
      dataOf<ListedSent>(await answer(ada, came.id, { text: "Once." }, key))
    ]
    expect(again.id).toBe(first.id)
    expect(world.to(shop)).toHaveLength(1)
  })
})

describe("no answer", () => {
  it("is given to what is not there, is another agent's, or was sent", async () => {
    const [ada, bob] = [await aSender(), await aSender()]
    const came = await comes(ada, { from: stranger() })
    expect(outcome(await answer(bob, came.id, { text: "Hi." }))).toBe("404 not_found")
    expect(outcome(await answer(ada, "em_999999999", { text: "Hi." }))).toBe("404 not_found")
    expect(outcome(await answer(ada, "x", { text: "Hi." }))).toBe("404 not_found")
    const sent = dataOf<ListedSent>(await send(ada, { to: [stranger()] }))
    const refused = await answer(ada, sent.id, { text: "Hi." })
    expect([outcome(refused), fieldOf(refused)]).toEqual(["422 validation_error", "id"])
  })

  it("is given to nobody: a report without a sender", async () => {
    const ada = await aSender()
    const came = await comes(ada, { from: "<>" })
    const refused = await answer(ada, came.id, { text: "Hi." })
    expect([outcome(refused), fieldOf(refused)]).toEqual(["422 validation_error", "id"])
  })

  it.each([
    ["nothing", {}, "text"],
    ["blanks", { text: " " }, "text"],
    ["a choice that is none", { text: "Hi.", all: "yes" }, "all"],
    [
      "an attachment that is no base64",
      { text: "Hi.", attachments: [{ filename: "a", content_base64: "?" }] },
      "attachments.0.content_base64"
    ]
  ])("says %s", async (_name, body, field) => {
    const ada = await aSender()
    const refused = await answer(ada, "em_1", body)
    expect([outcome(refused), fieldOf(refused)]).toEqual(["422 validation_error", field])
  })

  it("goes to more than ten", async () => {
    const ada = await aSender()
    const many = Array.from({ length: 10 }, stranger)
    const came = await comes(ada, { from: stranger(), headers: [`Cc: ${many.join(", ")}`] })
    const refused = await answer(ada, came.id, { text: "Hi.", all: true })
    expect([outcome(refused), fieldOf(refused)]).toEqual(["422 validation_error", "all"])
    expect(outcome(await answer(ada, came.id, { text: "Hi." }))).toBe("202")
  })

  it("carries a secret of the agent", async () => {
    const ada = await aSender()
    const came = await comes(ada, { from: stranger() })
    const text = `key = whsec_${randomBytes(32).toString("base64")}`
    expect(outcome(await answer(ada, came.id, { text }))).toBe("422 content_secret")
    const inFile = { text: "Hi.", attachments: [{ filename: "a.txt", content_base64: btoa(text) }] }
    const refused = await answer(ada, came.id, inFile)
    expect([outcome(refused), fieldOf(refused)]).toEqual(["422 content_secret", "attachments.0.content_base64"])
    const named = await answer(ada, came.id, { text: "Hi.", attachments: [{ filename: text, content_base64: "" }] })
    expect([outcome(named), fieldOf(named)]).toEqual(["422 content_secret", "attachments.0.filename"])
  })
})
