/** What a message's origin is worth, by a name server and keys of the test (spec 2.9; contract 20). */
import { generateKeyPairSync } from "node:crypto"
import { dkimSign } from "mailauth/lib/dkim/sign.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { lookupBy, lookupWithin } from "../../../actors/mail/dns.ts"
import { judge } from "../../../actors/mail/inbound/judge.ts"
import { verdictsAbout } from "../../../actors/mail/inbound/verdicts.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { standingClock } from "../../harness/clock.ts"
import { type NameServer, nameServer } from "../../support/dns.ts"
import { readMail } from "../../../actors/mail/parse/read.ts"
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

const judgement = (raw: string, { sender = "a@good.example", ip = IP } = {}) =>
  judge(
    Buffer.from(raw),
    { ip, helo: "mx.good.example", sender },
    lookupBy({ dnsServers: [dns.address] }, BOUNDS),
    "mail.hub.example"
  )

const judged = async (...given: Parameters<typeof judgement>) => (await judgement(...given)).verdicts

/** As a mailbox is told. */
const told = async (raw: string) => {
  const { from } = await readMail(Buffer.from(raw), { ...LIMITS.limits.email, ...LIMITS.service.mail })
  return { address: from.address, dmarc: verdictsAbout(from.address, await judgement(raw)).dmarc }
}

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
  const { verdicts } = await judge(
    Buffer.from(await signed("a@good.example")),
    { ip: IP, helo: "mx.good.example", sender: "a@good.example" },
    lookupWithin(() => silent, { ms: 50, questions: 10 }),
    "mail.hub.example"
  )
  expect(Object.values(verdicts)).not.toContain("FAIL")
  expect(Object.values(verdicts)).not.toContain("PASS")
})

const HIDDEN = Buffer.from('"x" <x@bank.example>').toString("base64")

test.each([
  ["a list that begins in an encoded word", `=?utf-8?B?${HIDDEN}?=, a@good.example`],
  ["a list, with a blank", `=?utf-8?B?${HIDDEN}?= , a@good.example`],
  ["a quoted local part", '"x@bank.example y"@good.example'],
  ["an empty group", "g:;, a@good.example"],
  ["a route", "<@bank.example:a@good.example>"]
])("%s is no proof of another sender", async (_name, from) => {
  expect(await told(await signed(from))).toEqual({ address: "", dmarc: "NONE" })
})

test("the sender that is shown is the one that was proven", async () => {
  expect(await told(await signed("Ada <a@good.example>"))).toEqual({ address: "a@good.example", dmarc: "PASS" })
  const { verdicts } = await judgement(await signed("a@good.example"))
  for (const [from, author, dmarc] of [
    ["x@bank.example", "good.example", "NONE"],
    ["", "good.example", "NONE"],
    ["", null, "NONE"],
    ["x@bank.example", null, "PASS"]
  ] as const)
    expect(verdictsAbout(from, { verdicts, author }).dmarc).toBe(dmarc)
})

const SIGNATURE = (n: number) =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=good.example; s=s1; l=${n}; h=from; bh=AAAA; b=AAAA\r\n`
const FROM = "From: a@good.example\r\n"

// Each took from seconds to a minute.
test.each([
  ["blanks within a signature", `${SIGNATURE(1).replace("b=AAAA\r", `b=${" ".repeat(60_000)}A\r`)}${FROM}\r\nx`],
  ["folds", `X: y\r\n${" z\r\n".repeat(100_000)}${FROM}\r\nx`],
  ["a header without an end", `${FROM}X: ${"y".repeat(100_000)}`]
])("too many or too long %s are not judged", async (_name, raw) => {
  expect(await judged(raw)).toMatchObject({ spf: "GRAY", dkim: "GRAY", dmarc: "GRAY" })
})

test("of more questions than a message may ask none is asked", async () => {
  let asked = 0
  const lookup = lookupWithin(() => Promise.resolve([String(++asked)]), { ms: BOUNDS.verdict_ms, questions: 2 })
  expect([await lookup("a.example", "TXT"), await lookup("b.example", "TXT")]).toEqual([["1"], ["2"]])
  await expect(lookup("c.example", "TXT")).rejects.toMatchObject({ code: "ETIMEOUT" })
  expect(asked).toBe(2)
})

test("a message's time begins with its first question: a thread that is slow to begin costs it nothing", async () => {
  const clock = standingClock()
  const lookup = lookupWithin(() => Promise.resolve(["x"]), { ms: BOUNDS.verdict_ms, questions: 9 }, clock)
  clock.move(10 * BOUNDS.verdict_ms)
  expect(await lookup("a.example", "TXT")).toEqual(["x"])
  clock.move(BOUNDS.verdict_ms)
  await expect(lookup("a.example", "TXT")).rejects.toMatchObject({ code: "ETIMEOUT" })
})
