/** What a message's origin is worth, by a name server and keys of the test (spec 2.9; contract 20). */
import { generateKeyPairSync } from "node:crypto"
import { dkimSign } from "mailauth/lib/dkim/sign.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { lookupBy } from "../../../actors/mail/dns.ts"
import { judge } from "../../../actors/mail/inbound/verdicts.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { type NameServer, nameServer } from "../../support/dns.ts"
import { message } from "../../support/mail.ts"

const IP = "192.0.2.7"
const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const KEY = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64")
const PEM = privateKey.export({ format: "pem", type: "pkcs8" }).toString()

let dns: NameServer
beforeAll(async () => {
  dns = await nameServer(
    {
      "good.example": { TXT: [`v=spf1 ip4:${IP} -all`] },
      "_dmarc.good.example": { TXT: ["v=DMARC1; p=reject"] },
      "s1._domainkey.good.example": { TXT: [`v=DKIM1; k=ed25519; p=${KEY}`] },
      "soft.example": { TXT: ["v=spf1 ~all"] },
      "loop.example": { TXT: ["v=spf1 include:loop.example -all"] },
      "deep.example": {
        TXT: [`v=spf1 ${Array.from({ length: 12 }, (_, n) => `include:d${n}.example`).join(" ")} -all`]
      },
      ...Object.fromEntries(
        Array.from({ length: 12 }, (_, n) => [`d${n}.example`, { TXT: ["v=spf1 ip4:198.51.100.1"] }])
      )
    },
    new Set(["broken.example", "_dmarc.broken.example"])
  )
})
afterAll(() => dns.stop())

const BOUNDS = { ...LIMITS.service.mail }
const signed = async (from: string, domain = "good.example"): Promise<string> => {
  const raw = message({ from, to: "ada@mail.hub.example" })
  const key = { signingDomain: domain, selector: "s1", privateKey: PEM }
  const { signatures } = await dkimSign(raw, {
    canonicalization: "relaxed/relaxed",
    algorithm: "ed25519-sha256",
    signTime: new Date(),
    ...key,
    signatureData: [key]
  })
  return signatures + raw
}

const judged = (raw: string, { sender = "a@good.example", ip = IP } = {}) =>
  judge(Buffer.from(raw), { ip, helo: "mx.good.example", sender }, lookupBy({ dnsServers: [dns.address] }, BOUNDS), {
    mta: "mail.hub.example",
    verdict_ms: BOUNDS.verdict_ms
  })

test("mail of its own domain passes all of them", async () => {
  expect(await judged(await signed("a@good.example"))).toEqual({
    spf: "PASS",
    dkim: "PASS",
    dmarc: "PASS",
    spam: "NONE",
    virus: "NONE"
  })
})

test("one that claims a domain without its signature or address fails there", async () => {
  const raw = message({ from: "a@good.example", to: "ada@mail.hub.example" })
  expect(await judged(raw, { ip: "203.0.113.9" })).toMatchObject({ spf: "FAIL", dkim: "NONE", dmarc: "FAIL" })
})

test("a signature of somebody else makes no sender", async () => {
  const raw = await signed("ceo@bank.example")
  expect(await judged(raw)).toMatchObject({ spf: "PASS", dkim: "PASS", dmarc: "NONE" })
})

test("a body that was changed fails its signature", async () => {
  const raw = (await signed("a@good.example")).replace("Hi.", "Pay me.")
  expect(await judged(raw, { ip: "203.0.113.9" })).toMatchObject({ dkim: "FAIL", dmarc: "FAIL" })
})

test("two senders in the header are none", async () => {
  const raw = `From: x@bank.example\r\n${await signed("a@good.example")}`
  expect((await judged(raw)).dmarc).not.toBe("PASS")
})

test.each([
  ["soft.example", "GRAY"],
  ["nothing.example", "NONE"],
  ["loop.example", "FAIL"],
  ["deep.example", "FAIL"],
  ["broken.example", "GRAY"]
])("the rules of %s are %s", async (domain, spf) => {
  const raw = message({ from: `a@${domain}`, to: "ada@mail.hub.example" })
  expect((await judged(raw, { sender: `a@${domain}` })).spf).toBe(spf)
})

test("a name server that says nothing takes no longer than there is time, and condemns nobody", async () => {
  const silent = new Promise<never>(() => undefined)
  const verdicts = await judge(
    Buffer.from(await signed("a@good.example")),
    { ip: IP, helo: "mx.good.example", sender: "a@good.example" },
    () => silent,
    { mta: "mail.hub.example", verdict_ms: 50 }
  )
  expect(Object.values(verdicts)).not.toContain("FAIL")
  expect(Object.values(verdicts)).not.toContain("PASS")
})
