/** Mail that scanners of the operator's have looked at (contract 20): the scanners speak as clamd and Rspamd do. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ListedMail, Mail } from "../../schemas/mail/records.ts"
import { waitFor } from "../harness/index.ts"
import { deliver, message } from "../support/mail.ts"
import { type Clamd, EICAR, GTUBE, playedClamd, playedRspamd, type Rspamd } from "../support/scanners.ts"
import { aSender, closeSending, listed, look, openSending, send, type Sender, service } from "./sending.ts"

let clamd: Clamd
let rspamd: Rspamd
beforeAll(async () => {
  clamd = await playedClamd()
  rspamd = await playedRspamd()
  await openSending({}, { HUB_CLAMD: `127.0.0.1:${clamd.port}`, HUB_RSPAMD_URL: `http://127.0.0.1:${rspamd.port}` })
})
afterAll(async () => {
  await closeSending()
  await clamd?.stop()
  await rspamd?.stop()
})

const port = () => service.system.mail?.port ?? 0
const arrived = (agent: Sender, count = 1) =>
  waitFor(async () => {
    const all = await listed<ListedMail>(agent)
    return all.length >= count ? all : null
  })

const withFile = (to: string, content: string): string =>
  [
    "From: Shop <shop@example.com>",
    `To: ${to}`,
    "Subject: a file",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "Here it is.",
    "--b",
    "Content-Type: application/octet-stream",
    'Content-Disposition: attachment; filename="bill.com"',
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(content).toString("base64"),
    "--b--",
    ""
  ].join("\r\n")

describe("from outside", () => {
  it("what is clean is marked as clean, with where it came from told to who looks for spam", async () => {
    const ada = await aSender()
    const to = ada.mailbox.address
    await deliver(port(), { to, raw: withFile(to, "a bill") })
    const [mail] = await arrived(ada)
    expect(mail).toMatchObject({ attachment_count: 1, verdicts: { spam: "PASS", virus: "PASS" } })
    expect(rspamd.asked.at(-1)).toMatchObject({ from: ["shop@example.com"], rcpt: [to], helo: ["client.example.com"] })
  })

  it("a virus is kept without its attachments, and marked", async () => {
    const ada = await aSender()
    const to = ada.mailbox.address
    await deliver(port(), { to, raw: withFile(to, EICAR) })
    const [mail] = await arrived(ada)
    expect(mail).toMatchObject({ attachments: [], attachment_count: 0, verdicts: { virus: "FAIL" } })
    expect(await look<Mail>(ada, mail?.message_id ?? "")).toMatchObject({
      text: expect.stringContaining("Here it is."),
      attachments: [],
      attachments_dropped: 1
    })
  })

  it("spam is kept, and marked", async () => {
    const ada = await aSender()
    const to = ada.mailbox.address
    await deliver(port(), { to, raw: message({ to, body: GTUBE }) })
    expect((await arrived(ada))[0]?.verdicts).toMatchObject({ spam: "FAIL", virus: "PASS" })
  })

  it("comes again where nobody could look for viruses, and arrives once somebody can", async () => {
    const ada = await aSender()
    const to = ada.mailbox.address
    const raw = message({ to, subject: "again" })
    const says = clamd.says
    clamd.says = () => "COMMAND READ TIMED OUT ERROR\0"
    await expect(deliver(port(), { to, raw })).rejects.toThrow(/451/)
    clamd.says = says
    await deliver(port(), { to, raw })
    expect((await arrived(ada)).map(({ subject }) => subject)).toEqual(["again"])
  })
})

describe("between agents", () => {
  it("a virus is looked for too, and spam is not", async () => {
    const [ada, bob] = [await aSender(), await aSender()]
    const file = { filename: "x.com", content_type: "application/octet-stream", content_base64: btoa(EICAR) }
    await send(ada, { to: [bob.mailbox.address], attachments: [file] })
    expect((await arrived(bob))[0]).toMatchObject({ attachments: [], verdicts: { spam: "NONE", virus: "FAIL" } })
  })
})
