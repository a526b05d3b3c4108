/** What an earlier release has sealed is opened as records are now, and what is sealed now an earlier release opens. */
import { expect, test } from "vitest"
import { openEnvelope, openSent, sealEnvelope, sealSent } from "../../../actors/mail/keys.ts"
import { Sealer } from "../../../actors/log/seal.ts"
import type { MailSummary } from "../../../schemas/mail/records.ts"
import type { SentSummary } from "../../../schemas/mail/sent.ts"

const sealer = new Sealer(new Uint8Array(32), "tests")
const FILE = { n: 1, filename: "a.txt", content_type: "text/plain", size: 3, sha256: "00" }
const common = {
  message_id: "em_7",
  mailbox: { id: 1, address: "ada@d.example" },
  from: { address: "x@shop.example", name: "" },
  subject: "Hello",
  excerpt: ""
}
const received = {
  ...common,
  to: "ada@d.example",
  tag: null,
  tags: [],
  codes: [],
  links: [],
  verdicts: { spf: "NONE", dkim: "NONE", dmarc: "NONE", spam: "NONE", virus: "NONE" },
  untrusted: "data"
} as const
const sent = { ...common, to: ["x@shop.example"], cc: [], bcc: [], reply_to: null, in_reply_to: null }
const headers = { rfc_id: "a@d.example", references: [], agent: "ada" }

test("a message that was received before records had lists of attachments", () => {
  const sealed = sealer.seal(JSON.stringify({ ...received, attachments: 2 }), "envelope 7")
  const opened = openEnvelope(sealer, 7, sealed)
  expect(opened).toMatchObject({ id: "em_7", message_id: "em_7", attachments: [], attachment_count: 2 })
  expect(opened.verdicts.reasons).toEqual([])
})

test("a message that was sent before records had lists of attachments", () => {
  const sealed = sealer.seal(JSON.stringify({ ...headers, summary: { ...sent, attachments: 2 } }), "sent 7")
  expect(openSent(sealer, 7, sealed).summary).toMatchObject({ id: "em_7", attachments: [], attachment_count: 2 })
})

test("what is sealed is opened as it was, and holds the number where an earlier release looks for it", () => {
  const summary: MailSummary = {
    ...received,
    id: "em_7",
    verdicts: { ...received.verdicts, reasons: [] },
    attachments: [FILE],
    attachment_count: 1
  }
  const box = sealEnvelope(sealer, 7, summary)
  expect(openEnvelope(sealer, 7, box)).toEqual(summary)
  expect(JSON.parse(sealer.open(box, "envelope 7"))).toMatchObject({ attachments: 1 })
  const out: SentSummary = { ...sent, id: "em_7", attachments: [FILE], attachment_count: 1 }
  const other = sealSent(sealer, 7, { ...headers, summary: out })
  expect(openSent(sealer, 7, other).summary).toEqual(out)
  expect(JSON.parse(sealer.open(other, "sent 7"))).toMatchObject({ summary: { attachments: 1 } })
})
