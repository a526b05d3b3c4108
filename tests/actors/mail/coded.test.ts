/** Codes of a sender that is asked for are found among whatever others send (contract 20). */
import { Effect } from "effect"
import fc from "fast-check"
import { expect, it, test } from "vitest"
import { recentCodes, type OpenPage } from "../../../actors/mail/coded.ts"
import type { ListedMail } from "../../../schemas/mail/records.ts"
import { LIMITS } from "../../../schemas/limits.ts"

const BOUNDS = { codes_messages_max: 5, codes_rows_max: 40 }
const SHOP = "shop.example"

const mailOf = (id: number, address: string, dmarc: "PASS" | "FAIL" = "PASS"): ListedMail => ({
  box: "inbox",
  id: `em_${id}`,
  message_id: `em_${id}`,
  mailbox: { id: 1, address: "ada@d.example" },
  to: "ada@d.example",
  tag: null,
  tags: [],
  from: { address, name: "" },
  subject: "",
  excerpt: "",
  codes: [],
  links: [],
  attachments: [],
  attachment_count: 0,
  verdicts: { spf: "NONE", dkim: "NONE", dmarc, spam: "NONE", virus: "NONE", reasons: [] },
  untrusted: "",
  thread_id: null,
  received_at: "2026-01-01T00:00:00.000Z",
  read_at: null
})

/** Newest first, as they lie there; `newer`: one more comes in before each further page. */
const found = async (mails: ReadonlyArray<ListedMail>, from: string | null, newer: ListedMail | null = null) => {
  const asked: Array<number> = []
  const open: OpenPage = (page, per_page) =>
    Effect.sync(() => {
      asked.push(page)
      const shifted = newer === null ? mails : [...Array.from({ length: page - 1 }, () => newer), ...mails]
      const rows = shifted.slice((page - 1) * per_page, page * per_page)
      return { rows: rows.length, mails: rows }
    })
  const { items, unaligned } = await Effect.runPromise(recentCodes(open, from, BOUNDS))
  return { ids: items.map(({ message_id }) => message_id), unaligned, pages: asked.length }
}

const planted = (count: number) => Array.from({ length: count }, (_, index) => mailOf(1000 + index, "x@evil.example"))

it.each([
  ["behind a page of others", planted(5)],
  ["behind as many as are read", planted(39)],
  [
    "behind a page that only claims to be from there",
    planted(7).map(({ message_id }) => mailOf(Number(message_id.slice(3)), `a@${SHOP}`, "FAIL"))
  ]
])("%s it is found", async (_what, before) => {
  const { ids } = await found([...before, mailOf(1, `no-reply@mail.${SHOP}`)], SHOP)
  expect(ids).toEqual(["em_1"])
})

test("no more is read than the bound, nor behind the end, nor once enough is found", async () => {
  expect(await found([...planted(40), mailOf(1, `a@${SHOP}`)], SHOP)).toEqual({ ids: [], unaligned: 0, pages: 8 })
  expect((await found(planted(12), SHOP)).pages).toBe(3)
  const many = Array.from({ length: 30 }, (_, index) => mailOf(index, `a@${SHOP}`))
  expect(await found(many, SHOP)).toEqual({ ids: ["em_0", "em_1", "em_2", "em_3", "em_4"], unaligned: 0, pages: 1 })
  expect((await found(many, null)).pages).toBe(1)
  expect((await found(many, "no domain")).pages).toBe(0)
  expect(LIMITS.service.mail.codes_rows_max).toBeGreaterThan(LIMITS.limits.email.inbound_per_day)
})

test("what comes in meanwhile makes nothing be told twice, or be passed over", async () => {
  const mails = [
    ...planted(4),
    mailOf(1, `a@${SHOP}`),
    ...planted(4),
    mailOf(2, `a@${SHOP}`, "FAIL"),
    mailOf(3, `a@${SHOP}`)
  ]
  const { ids, unaligned } = await found(mails, SHOP, mailOf(99, "x@evil.example"))
  expect([ids, unaligned]).toEqual([["em_1", "em_3"], 1])
})

test("of each sender exactly those are told that are from there, in their order", async () => {
  const one = fc.record({ mine: fc.boolean(), pass: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 39 }), async (kinds) => {
      const mails = kinds.map(({ mine, pass }, index) =>
        mailOf(index, mine ? `a@${SHOP}` : `a@not${SHOP}`, pass ? "PASS" : "FAIL")
      )
      const wanted = mails.filter((_, index) => kinds[index]?.mine === true && kinds[index].pass)
      const { ids } = await found(mails, SHOP)
      expect(ids).toEqual(wanted.slice(0, BOUNDS.codes_messages_max).map(({ message_id }) => message_id))
    })
  )
})
