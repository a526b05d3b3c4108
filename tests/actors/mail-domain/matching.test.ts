/** Whether DNS has what a domain needs, as it may be spelled there. */
import { describe, expect, test } from "vitest"
import { Effect } from "effect"
import { foundIn, hasAll, missingOf, provenBy } from "../../../actors/mail-domain/matching.ts"
import { smtpProvider } from "../../../actors/mail-domain/provider.ts"
import type { DnsRecord } from "../../../schemas/mail-domain/records.ts"

const KEY = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"
const DOMAIN = "acme.example"
const provider = smtpProvider({ domain: "mail.ours.example", host: "mx.ours.example" })
const recordsOf = (domain: string) => Effect.runSync(provider.declare(domain, { selector: "hub1", public_key: KEY }))
const RECORDS = recordsOf(DOMAIN)
const of = (purpose: DnsRecord["purpose"]): DnsRecord => {
  const found = RECORDS.find((one) => one.purpose === purpose)
  if (found === undefined) throw new Error(`no ${purpose}`)
  return found
}
const PROOF: DnsRecord = {
  type: "TXT",
  name: `_hub-verification.${DOMAIN}`,
  value: "hub-verification=abc",
  required: true,
  purpose: "verification"
}

test("we ask for MX, SPF, our key and DMARC", () => {
  expect(RECORDS).toEqual([
    { type: "MX", name: DOMAIN, value: "mx.ours.example", priority: 10, required: true, purpose: "mx" },
    { type: "TXT", name: DOMAIN, value: "v=spf1 include:mail.ours.example ~all", required: true, purpose: "spf" },
    {
      type: "TXT",
      name: `hub1._domainkey.${DOMAIN}`,
      value: `v=DKIM1; k=rsa; p=${KEY}`,
      required: true,
      purpose: "dkim"
    },
    { type: "TXT", name: `_dmarc.${DOMAIN}`, value: "v=DMARC1; p=quarantine", required: false, purpose: "dmarc" }
  ])
  expect(recordsOf("mail.ours.example")[1]?.value).toBe("v=spf1 mx ~all")
})

describe.each([
  ["the proof", PROOF, ["hub-verification=abc"], true],
  ["the proof with spaces around", PROOF, ["x", " hub-verification=abc "], true],
  ["another's proof", PROOF, ["hub-verification=abcd"], false],
  ["our host among others", of("mx"), ["other.example", "mx.ours.example"], true],
  ["another host", of("mx"), ["mx.ours.example.evil.org"], false],
  ["SPF", of("spf"), ["v=spf1 include:mail.ours.example ~all"], true],
  [
    "SPF with others, in capitals",
    of("spf"),
    ["other", "V=SPF1 mx +INCLUDE:mail.ours.example include:x.example -all"],
    true
  ],
  ["SPF that refuses us", of("spf"), ["v=spf1 -include:mail.ours.example ~all"], false],
  ["SPF of another", of("spf"), ["v=spf1 include:mail.ours.example.evil.org ~all"], false],
  ["two rules of SPF", of("spf"), ["v=spf1 include:mail.ours.example ~all", "v=spf1 -all"], false],
  ["what is not SPF", of("spf"), ["v=spf10 include:mail.ours.example"], false],
  ["our key", of("dkim"), [`v=DKIM1; k=rsa; p=${KEY}`], true],
  ["our key as it may be broken up", of("dkim"), [`v=DKIM1;p=${KEY.slice(0, 9)} ${KEY.slice(9)};t=s`], true],
  ["another key", of("dkim"), ["v=DKIM1; k=rsa; p=AAAA"], false],
  ["a key that was taken back", of("dkim"), ["v=DKIM1; p="], false],
  ["a key of another kind", of("dkim"), [`k=ed25519; p=${KEY}`], false],
  ["any DMARC", of("dmarc"), ["v=DMARC1; p=none; rua=mailto:x@acme.example"], true],
  ["no DMARC", of("dmarc"), ["v=spf1"], false]
])("%s", (_what, record, told, found) => {
  test(found ? "is found" : "is not", () => {
    expect(foundIn(record, [told])).toBe(found)
    expect(foundIn(record, [[], told])).toBe(found)
  })
})

test("nobody's answer is none", () => {
  expect(foundIn(PROOF, null)).toBeNull()
  expect(foundIn(PROOF, [[], []])).toBe(false)
})

test("what is missing is required, and was looked for", () => {
  const records = [PROOF, ...RECORDS]
  expect(missingOf(records, [null, false, true, true, false])).toEqual([`MX ${DOMAIN}`])
  expect(hasAll(records, [true, true, true, true, false])).toBe(true)
  expect(hasAll(records, [true, true, true, null, true])).toBe(false)
  expect([provenBy(records, [null, true, true, true, true]), provenBy(RECORDS, [true])]).toEqual([null, null])
})
