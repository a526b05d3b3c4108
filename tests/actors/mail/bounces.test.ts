/** Which bounces suppress an address (contract 22). */
import { expect, test } from "vitest"
import { faultOf } from "../../../actors/kit/mailing/smtp-fault.ts"
import { reportsIn } from "../../../actors/mail/inbound/reports.ts"
import { MailKeys, recipientId } from "../../../actors/mail/keys.ts"
import { reportIn } from "../../../actors/mail/notice/feedback.ts"
import { returnAddress, returnedTo } from "../../../actors/mail/outbound/return-path.ts"
import { decideReport } from "../../../actors/mail/sending/decide.ts"
import { isNoSuchAddress } from "../../../schemas/mail/bounces.ts"

const GONE = ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.4.4"]
const OTHERS = [
  "5.0.0",
  "5.1.0",
  "5.1.4",
  "5.1.7",
  "5.1.8",
  "5.1.11",
  "5.2.0",
  "5.2.1",
  "5.2.2",
  "5.2.3",
  "5.3.0",
  "5.4.1"
]
const SOFT = ["5.7.1", "4.2.2", "4.1.1", "4.4.4", "5.1", "15.1.1"]

test("codes that say that an address does not exist, and no others", () => {
  for (const status of GONE) expect([status, isNoSuchAddress(status)]).toEqual([status, true])
  for (const status of [...OTHERS, ...SOFT]) expect([status, isNoSuchAddress(status)]).toEqual([status, false])
})

const refusedBy = (response: string) =>
  faultOf({ command: "RCPT TO", responseCode: Number(response.slice(0, 3)), response }).of

test("a server's refusal is of the address where it says so", () => {
  for (const status of GONE) expect([status, refusedBy(`550 ${status} no`)]).toEqual([status, "address"])
  for (const status of OTHERS) expect([status, refusedBy(`550 ${status} no`)]).toEqual([status, "message"])
  expect(refusedBy("550 nobody")).toBe("address")
  for (const words of ["mailbox full", "over quota", "blocked by policy"])
    expect(refusedBy(`550 ${words}`)).toBe("message")
})

test.each([
  ["Permanent", "General", "bounced"],
  ["Permanent", "NoEmail", "bounced"],
  ["Permanent", "Suppressed", "bounced"],
  ["Permanent", "OnAccountSuppressionList", "failed"],
  ["Permanent", "UnsubscribedRecipient", "failed"],
  ["Permanent", "MailboxFull", "failed"],
  ["Transient", "MailboxFull", "failed"],
  ["Undetermined", "Undetermined", "failed"]
])("of the provider's %s/%s the recipient is %s", (bounceType, bounceSubType, type) => {
  expect(reportIn({ eventType: "Bounce", mail: {}, bounce: { bounceType, bounceSubType } })).toMatchObject({ type })
})

test("the provider's report names its recipients, and a full mailbox is no missing one", () => {
  const bouncedRecipients = [{ emailAddress: "Zoe <Zoe@World.Example>", status: "5.2.2" }]
  expect(
    reportIn({
      eventType: "Bounce",
      mail: {},
      bounce: { bounceType: "Permanent", bounceSubType: "General", bouncedRecipients }
    })
  ).toMatchObject({ type: "failed", named: ["zoe@world.example"] })
})

const keys = new MailKeys({} as never, new Uint8Array(32))
const TO = returnedTo(keys, returnAddress(keys, "bounces", "12-1", "mail.hub.example"))
const report = (...blocks: ReadonlyArray<string>) =>
  reportsIn(
    keys,
    Buffer.from(
      [
        "Content-Type: multipart/report; boundary=b\r\n",
        "--b\r\nContent-Type: message/delivery-status\r\n",
        "Reporting-MTA: dns; mx.world.example\r\n",
        ...blocks.map((block) => `${block}\r\n`),
        "--b\r\nContent-Type: message/rfc822\r\n",
        "Action: failed\r\nStatus: 5.1.1\r\nFinal-Recipient: rfc822; zoe@world.example\r\n",
        "--b--\r\n"
      ].join("\r\n")
    ),
    TO,
    100_000
  ).map(({ report: one }) => one)

const SENDING = {
  agent: "a",
  mailbox: 1,
  mail: 12,
  n: 1,
  recipient: recipientId(keys, "zoe@world.example"),
  to: "t",
  sealed: "s",
  status: "sent",
  detail: null,
  phase: "over",
  attempts: 1,
  unknown: false,
  unsubscribed: false,
  due: null
} as const

const statusAfter = (...blocks: ReadonlyArray<string>): string =>
  report(...blocks).reduce<string>((status, one) => {
    const decision = decideReport(SENDING, one)
    const [event] = "refused" in decision ? [] : decision.events
    return event?.type === "mail_sending.reported" ? event.status : status
  }, "sent")

test("a report counts for its message's recipient, by what it says of him", () => {
  const gone = "Action: failed\r\nStatus: 5.1.1"
  expect(statusAfter(`Final-Recipient: rfc822; Zoe@World.Example\r\n${gone}`)).toBe("bounced")
  expect(
    statusAfter(`Original-Recipient: rfc822;zoe@world.example\r\nFinal-Recipient: rfc822; z@x.example\r\n${gone}`)
  ).toBe("bounced")
  expect(statusAfter(gone)).toBe("bounced")
  expect(statusAfter(`Final-Recipient: rfc822; other@world.example\r\n${gone}`)).toBe("sent")
  expect(statusAfter("Final-Recipient: rfc822; zoe@world.example\r\nAction: delayed\r\nStatus: 4.2.2")).toBe("sent")
  expect(
    statusAfter(
      `Final-Recipient: rfc822; other@world.example\r\n${gone}`,
      "Final-Recipient: rfc822; zoe@world.example\r\nAction: failed\r\nStatus: 5.2.2"
    )
  ).toBe("failed")
})
