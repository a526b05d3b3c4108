/** What is not sent, and why (spec 4.9, 8; contract 20). */
import { randomBytes, randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { aSender, closeSending, openSending, send } from "./sending.ts"

beforeAll(() => openSending())
afterAll(closeSending)

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
    ["an address with two at signs", { to: ["a@b@world.example"] }, "to.0"],
    ["an address with dots where none may be", { to: ["a@b.example"], cc: ["Ada <x..y@b.example>"] }, "cc.0"],
    ["an address that nobody sees whole", { to: ["a@b.example", "a\u200b@b.example"] }, "to.1"],
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
