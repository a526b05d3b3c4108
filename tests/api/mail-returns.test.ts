/** What mail servers and people send back (spec 3.6; contract 20). */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ListedMail, MailEvent } from "../../schemas/mail/records.ts"
import type { ListedSent, SentMail } from "../../schemas/mail/sent.ts"
import { waitFor } from "../harness/index.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { type Carried, told } from "../support/sponsorship.ts"
import {
  aSender,
  closeSending,
  DOMAIN,
  listed,
  look,
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

const dsn = (to: string, action: string, status: string) =>
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
    `Final-Recipient: rfc822; ${to}`,
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

/** Of the agent's journal, once there is one. */
const journaled = ({ client }: Carried, of: string): Promise<ReadonlyArray<typeof MailEvent.Type>> =>
  waitFor(async () => {
    const log = dataOf<ReadonlyArray<typeof MailEvent.Type>>(await client.call("GET", "/api/v1/email/log"))
    const found = log.filter(({ event }) => event === of)
    return found.length > 0 ? found : null
  })

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
    await deliver(port(), { from: "", to: slow.taken.from, raw: dsn(slow.to, "delayed", "4.4.1") })
    await deliver(port(), { from: "", to: full.taken.from, raw: dsn(full.to, "failed", "5.2.2") })
    await deliver(port(), { from: "", to: gone.taken.from, raw: dsn(gone.to.toUpperCase(), "failed", "5.1.1") })
    expect((await settled(gone.ada, gone.sent.message_id, "bounced")).recipients[0]?.detail).toContain("5.1.1")
    await settled(full.ada, full.sent.message_id, "failed")
    expect((await look<SentMail>(slow.ada, slow.sent.message_id)).status).toBe("delivered")
  })

  it("counts for a recipient of its message alone: a report on whom he forwards to says nothing of him", async () => {
    const { ada, to, sent, taken } = await sentOut()
    await deliver(port(), { from: "", to: taken.from, raw: dsn("b@elsewhere.example", "failed", "5.1.1") })
    const two = dsn("b@elsewhere.example", "failed", "5.1.1").replace(
      "\r\n\r\n--b--",
      `\r\n\r\nFinal-Recipient: rfc822; ${to}\r\nAction: failed\r\nStatus: 5.2.2\r\n\r\n--b--`
    )
    await deliver(port(), { from: "", to: taken.from, raw: two })
    await settled(ada, sent.message_id, "failed")
    expect((await send(ada, { to: [to] })).status).toBe(202)
  })

  it("counts once, however often it comes", async () => {
    const { ada, to, sent, taken } = await sentOut()
    for (let n = 1; n < 4; n++) await deliver(port(), { from: "", to: taken.from, raw: dsn(to, "failed", `5.1.${n}`) })
    await settled(ada, sent.message_id, "bounced")
    await told(ada, "email.bounced")
    expect(await journaled(ada, "bounced")).toHaveLength(1)
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
    const { ada, to, sent, taken } = await sentOut()
    const forged = taken.from.replace(/-[0-9a-f]{16}@/, "-0123456789abcdef@")
    await expect(deliver(port(), { from: "", to: forged, raw: dsn(to, "failed", "5.1.1") })).rejects.toThrow(/550/)
    const stripped = taken.raw.replace(/^X-Hub-Report:.*\r\n/im, "").replaceAll(/bounces\+\S+/g, "")
    // The message's id is in every answer to it, and says nothing.
    expect(stripped).toMatch(/^Message-ID: <em_/im)
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
    expect((await send(ada, { to: [one.replace("@", "+more@")] })).status).toBe(422)
    expect((await send(ada, { to: [other] })).status).toBe(202)
    // Said again in other words it is heard once.
    await deliver(port(), { from: one, to: unsubscribe, raw: "Subject: again\r\n\r\n" })
    expect(await journaled(ada, "unsubscribed")).toHaveLength(1)
  })

  it("from whoever wants no more counts for all of his tags; that one is not there for that one", async () => {
    const ada = await aSender()
    const of = (person: string, tag: string) => `${person}${tag}@world.example`
    const [zoe, yan] = [randomUUID(), randomUUID()]
    const sent = dataOf<ListedSent>(await send(ada, { to: [of(zoe, "+a"), of(yan, "+a")] }))
    await settled(ada, sent.message_id, "delivered")
    const [taken] = world.to(of(zoe, "+a"))
    const [, unsubscribe = ""] = /^List-Unsubscribe: <mailto:([^>]+)>/m.exec(unfolded(taken)) ?? []
    await deliver(port(), { from: of(zoe, "+a"), to: unsubscribe, raw: "Subject: no\r\n\r\n" })
    await deliver(port(), {
      from: "",
      to: world.to(of(yan, "+a"))[0]?.from ?? "",
      raw: dsn(of(yan, "+a"), "failed", "5.1.1")
    })
    // More than she may send in a day: it is refused for that, until it is refused for whom it is for.
    const others = Array.from({ length: 9 }, stranger)
    for (const gone of [of(zoe, "+a"), of(zoe, "+b"), of(zoe, ""), of(yan, "+a")])
      await waitFor(async () => ((await send(ada, { to: [gone, ...others] })).status === 422 ? true : null))
    expect((await send(ada, { to: [of(yan, "+b"), of(yan, "")] })).status).toBe(202)
  })

  it("to the service's own addresses from an agent is heard like from the world", async () => {
    const [ada, bob] = [await aSender(), await aSender()]
    const two = [stranger(), stranger()]
    const sent = dataOf<ListedSent>(await send(ada, { to: two }))
    await settled(ada, sent.message_id, "delivered")
    const [, unsubscribe = ""] = /^List-Unsubscribe: <mailto:([^>]+)>/m.exec(unfolded(world.to(two[0] ?? "")[0])) ?? []
    expect(dataOf<ListedSent>(await send(bob, { to: [unsubscribe] })).status).toBe("sent")
    await waitFor(async () => ((await send(bob, { to: [two[0]] })).status === 422 ? true : null))
    // No report: refused, which says nothing of the address.
    expect(outcome(await send(bob, { to: [`abuse@${DOMAIN}`] }))).toBe("502 email_send_failed")
    expect(dataOf(await bob.client.call("GET", "/api/v1/email"))).toMatchObject({ sending: { bounce_rate: 0 } })
  })
})
