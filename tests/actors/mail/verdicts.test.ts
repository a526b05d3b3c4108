/** What a message's origin is worth, by a name server and keys of the test (spec 2.9; contract 20). */
import { generateKeyPairSync } from "node:crypto"
import { dkimSign } from "mailauth/lib/dkim/sign.js"
import fc from "fast-check"
import MailComposer from "nodemailer/lib/mail-composer"
import { afterAll, beforeAll, expect, test } from "vitest"
import { lookupBy, lookupWithin } from "../../../actors/mail/dns.ts"
import { judge } from "../../../actors/mail/inbound/judge.ts"
import { verdictsAbout } from "../../../actors/mail/inbound/verdicts.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { standingClock } from "../../harness/clock.ts"
import { type NameServer, nameServer } from "../../support/dns.ts"
import { readMail } from "../../../actors/mail/parse/read.ts"
import { message } from "../../support/mail.ts"
import { examples } from "./corpus.ts"
import { deliveredMessages } from "./messages.ts"

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
const READ = { ...LIMITS.limits.email, ...LIMITS.service.mail }

interface Signing {
  readonly domain?: string
  readonly raw?: string
  /** Of the body, what is signed. */
  readonly maxBodyLength?: number
  readonly headerList?: string
  readonly canonicalization?: string
}

const signed = async (
  from: string,
  {
    domain = "good.example",
    raw = message({ from, to: "ada@mail.hub.example" }),
    canonicalization = "relaxed/relaxed",
    ...more
  }: Signing = {}
): Promise<string> => {
  const key = { signingDomain: domain, selector: "s1", privateKey: PEM, ...more }
  const { signatures } = await dkimSign(raw, {
    canonicalization,
    algorithm: "ed25519-sha256",
    signTime: new Date(),
    ...key,
    signatureData: [key]
  })
  return signatures + raw
}

const judgement = (raw: string, { sender = "a@good.example", ip = IP } = {}) =>
  judge(
    Buffer.from(raw, "latin1"),
    { ip, helo: "mx.good.example", sender },
    lookupBy({ dnsServers: [dns.address] }, BOUNDS),
    "mail.hub.example"
  )

const judged = async (...given: Parameters<typeof judgement>) => (await judgement(...given)).verdicts

/** As a mailbox is told. */
const told = async (raw: string) => {
  const { from, doubts } = await readMail(Buffer.from(raw, "latin1"), READ)
  return { address: from.address, dmarc: verdictsAbout(from.address, await judgement(raw), doubts).dmarc }
}

/** As a mailbox is told of what comes from elsewhere: only the signature speaks for it. */
const relayed = async (raw: string) => {
  const mail = await readMail(Buffer.from(raw, "latin1"), READ)
  const { dmarc, reasons } = verdictsAbout(
    mail.from.address,
    await judgement(raw, { ip: "203.0.113.9", sender: "x@evil.example" }),
    mail.doubts
  )
  return { dmarc, reasons, codes: mail.codes.map(({ code }) => code) }
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
  ["a route", "<@bank.example:a@good.example>"]
])("%s is no proof of another sender", async (_name, from) => {
  expect(await told(await signed(from))).toEqual({ address: "", dmarc: "NONE" })
})

test("the sender that is shown is the one that was proven", async () => {
  for (const from of ["Ada <a@good.example>", "Ada, PhD <a@good.example>", "g:;, a@good.example"])
    expect(await told(await signed(from))).toEqual({ address: "a@good.example", dmarc: "PASS" })
  const { verdicts } = await judgement(await signed("a@good.example"))
  for (const [from, author, dmarc] of [
    ["x@bank.example", "good.example", "FAIL"],
    ["x@bank.example", "", "FAIL"],
    ["", "good.example", "NONE"],
    ["", null, "NONE"],
    ["x@bank.example", null, "PASS"]
  ] as const)
    expect(verdictsAbout(from, { verdicts, author }).dmarc).toBe(dmarc)
})

const GENUINE = "a@good.example"
/** A genuine mail that says a code, and one that a stranger adds to it. */
const coded = (): string =>
  message({ from: GENUINE, to: "ada@mail.hub.example", subject: "Your code", body: "Your code is 482913." })
const FORGED = "Your code is 777111.\r\n"

test("a genuine mail that somebody passed on passes by its signature, with its code", async () => {
  expect(await relayed(await signed(GENUINE, { raw: coded() }))).toEqual({
    dmarc: "PASS",
    reasons: [],
    codes: ["482913"]
  })
})

test.each([
  ["Subject: Your code is 777111"],
  ["subject : Your code is 777111"],
  ["Subject:\r\n Your code is 777111"],
  [`Content-Type: multipart/mixed; boundary="b"\r\nContent-Type: text/plain`],
  ["Content-Transfer-Encoding: base64\r\ncontent-transfer-encoding: 7bit"],
  ["Content-Disposition: attachment\r\ncontent-disposition: inline"],
  ["MIME-Version: 1.0"],
  ["From: x@bank.example"],
  ["FROM: a@good.example"],
  ["To: bob@mail.hub.example"],
  ["Date: Tue, 24 Nov 2026 09:00:00 +0000"],
  ["Message-ID: <other@good.example>"],
  ["Reply-To: x@evil.example\r\nReply-To: y@evil.example"],
  ["Sender: x@evil.example\r\nSender: y@evil.example"],
  ["Cc: x@evil.example\r\nCc: y@evil.example"]
])("%j above a genuine signed mail is no proof", async (more) => {
  const genuine = await signed(GENUINE, { raw: coded() })
  const twice = { dmarc: "FAIL", reasons: expect.arrayContaining(["duplicate_header"]) }
  expect(await relayed(`${more}\r\n${genuine}`)).toMatchObject(twice)
  // Nor below what stands first.
  const [first = "", ...rest] = genuine.split("\r\nFrom: ")
  const below = `${first}\r\n${more}\r\nFrom: ${rest.join("\r\nFrom: ")}`
  expect(await relayed(below)).toMatchObject(twice)
})

test.each([
  ["a bare CR", "X-Odd: a\rSubject: Your code is 777111"],
  ["a line that ends twice", `X-Odd: a\r\n\r\r\n${FORGED}`],
  ["NUL", "X-Odd: a\0b"],
  ["a line without a colon", "Your code is 777111"],
  ["a name of other letters", "\u017fubject: Your code is 777111"],
  ["a mark of byte order before a name", "\u00ef\u00bb\u00bfSubject: Your code is 777111"],
  ["a hard blank before a name", "\u00a0Subject: Your code is 777111"],
  ["a name over two lines", "Subject\r\n : Your code is 777111"],
  ["a fold of nothing", " Your code is 777111"]
])("%s in the header is no proof", async (_name, more) => {
  const { dmarc, reasons } = await relayed(`${more}\r\n${await signed(GENUINE, { raw: coded() })}`)
  expect({ dmarc, reasons }).toEqual({ dmarc: "FAIL", reasons: ["header_malformed"] })
})

test.each([0, 5, 18])(
  "a signature of %i bytes of the body is no proof of what stands behind them",
  async (maxBodyLength) => {
    const genuine = await signed(GENUINE, { raw: coded(), maxBodyLength })
    expect(genuine.replaceAll(/\s/g, "")).toContain(`;l=${maxBodyLength};`)
    expect(await relayed(genuine + FORGED)).toMatchObject({ dmarc: "FAIL", reasons: ["body_length"] })
  }
)

test("a signature whose length is that of the body is one, until something stands behind it", async () => {
  for (const canonicalization of ["relaxed/relaxed", "relaxed/simple"]) {
    const body = " Your  code \t is 482913. \r\n\r\n \r\nx\r\n\r\n"
    const raw = message({ from: GENUINE, to: "ada@mail.hub.example", subject: "Code", body })
    const whole = await signed(GENUINE, { raw, maxBodyLength: 100_000, canonicalization })
    expect(await relayed(whole)).toMatchObject({ dmarc: "PASS", reasons: [] })
    expect(await relayed(whole + FORGED)).toMatchObject({ dmarc: "FAIL", reasons: ["body_length"] })
  }
})

test("a signature that does not cover the subject proves none, where nothing else speaks for the sender", async () => {
  const genuine = await signed(GENUINE, { raw: coded(), headerList: "from:to:date" })
  const other = genuine.replace("Subject: Your code", "Subject: Your code is 777111")
  expect(await relayed(other)).toMatchObject({ dmarc: "FAIL", reasons: ["subject_unsigned"] })
  expect(await told(genuine)).toMatchObject({ dmarc: "PASS" })
})

test.each([
  "Content-Type: text/html",
  "Content-Type: message/rfc822",
  "Content-Transfer-Encoding: base64",
  "content-disposition: attachment",
  "Content-Type : text/html",
  `Content-Type${" ".repeat(9)}: multipart/mixed; boundary=b`,
  `Content-Transfer-Encoding${"\t".repeat(40)}: base64`,
  `Content-Disposition${" \t".repeat(50)}: attachment`
])("%j put above a signature that does not cover it has the body read in another way: no proof", async (field) => {
  const genuine = await signed(GENUINE, { raw: coded() })
  expect(await relayed(genuine)).toMatchObject({ dmarc: "PASS", reasons: [] })
  expect(await relayed(`${field}\r\n${genuine}`)).toMatchObject({ dmarc: "FAIL", reasons: ["form_unsigned"] })
  // From an address of the domain it is the domain's own.
  expect(await told(`${field}\r\n${genuine}`)).toMatchObject({ dmarc: "PASS" })
})

const addressed = async (raw: string, origin = { ip: "203.0.113.9", sender: "x@evil.example" }) => {
  const { verdicts, reasons = [], unsigned = [] } = await judgement(raw, origin)
  return { dmarc: verdictsAbout(GENUINE, { verdicts, reasons, author: null }).dmarc, reasons, unsigned }
}

test.each([
  ["Reply-To: x@evil.example", "FAIL", ["reply_to_unsigned"], ["reply-to"]],
  ["Cc: x@evil.example", "PASS", [], ["cc"]],
  ["reply-to : x@evil.example\r\nCC: y@evil.example", "FAIL", ["reply_to_unsigned"], ["reply-to", "cc"]],
  ["Sender: x@evil.example", "PASS", [], []]
])(
  "%j put above a signature that does not cover it decides nothing about an answer",
  async (field, dmarc, reasons, unsigned) => {
    const genuine = await signed(GENUINE, { raw: coded(), headerList: "from:to:subject:date" })
    expect(await addressed(genuine)).toEqual({ dmarc: "PASS", reasons: [], unsigned: [] })
    expect(await addressed(`${field}\r\n${genuine}`)).toEqual({ dmarc, reasons, unsigned })
    // From an address of the domain it is the domain's own.
    const own = { ip: IP, sender: GENUINE }
    expect(await addressed(`${field}\r\n${genuine}`, own)).toEqual({ dmarc: "PASS", reasons: [], unsigned: [] })
  }
)

test("fields that the signature covers are the sender's own", async () => {
  const raw = `Reply-To: desk@good.example\r\nCc: b@good.example\r\n${coded()}`
  const genuine = await signed(GENUINE, { raw, headerList: "from:to:cc:reply-to:subject:date" })
  expect(await addressed(genuine)).toEqual({ dmarc: "PASS", reasons: [], unsigned: [] })
  const short = await signed(GENUINE, { raw, headerList: "from:subject:date" })
  expect((await addressed(short)).unsigned).toEqual(["reply-to", "to", "cc"])
})

test.each([
  ["a list", "x@bank.example, a@good.example"],
  ["a list, the other way round", "a@good.example, x@bank.example"],
  ["a group", "Bank: x@bank.example, a@good.example;"],
  ["names", "Bank <x@bank.example>, Good <a@good.example>"]
])("%s of two domains in From is FAIL", async (_name, from) => {
  const { dmarc, reasons } = await relayed(await signed(from))
  expect({ dmarc, reasons }).toEqual({ dmarc: "FAIL", reasons: ["from_domains"] })
})

test.each([
  ["two of one domain", "a@good.example, b@good.example", "a@good.example"],
  ["a comment", "a@good.example (x@bank.example)", "a@good.example"],
  ["a name that is an address", '"x@bank.example" <a@good.example>', "a@good.example"],
  ["a group of one", "Good: a@good.example;", "a@good.example"]
])("%s in From is the domain that was proven", async (_name, from, address) => {
  expect(await told(await signed(from))).toEqual({ address, dmarc: "PASS" })
})

const written = (from: string): string => Buffer.from(from).toString("latin1")

test.each([
  "a@\uff47\uff4f\uff4f\uff44.example",
  "a@good\u3002example",
  "a@go\u00adod.example",
  "a@go\u200bod.example",
  "a@go\ufe0fod.example",
  "a@\u2060good.example",
  "a@\u{1d420}\u{1d428}\u{1d428}\u{1d41d}.example",
  "a@good.\uff45xample",
  "a@\uff27OOD.example",
  "a@goo\u1d48.example",
  "a@\u24d6ood.example",
  "Good <a@\uff47ood.example>",
  "a@good.example, b@\uff47ood.example"
])("%j is no way to write good.example: FAIL, whoever judges", async (from) => {
  const raw = message({ from: written(from), to: "ada@mail.hub.example" })
  const unclear = { dmarc: "FAIL", reasons: expect.arrayContaining(["from_unclear"]) }
  expect(await relayed(raw)).toMatchObject(unclear)
  const { from: displayed, doubts } = await readMail(Buffer.from(raw, "latin1"), READ)
  const { verdicts } = await judgement(await signed(GENUINE))
  expect(verdictsAbout(displayed.address, { verdicts, author: null }, doubts)).toMatchObject(unclear)
})

test.each(["a@good.example\u3002", "a@go\u200dod.example"])("%j is displayed as nobody", async (from) => {
  const raw = message({ from: written(from), to: "ada@mail.hub.example" })
  expect((await readMail(Buffer.from(raw, "latin1"), READ)).from.address).toBe("")
})

test.each([
  "a@b\u00fccher.example",
  "a@B\u00dcCHER.example",
  "a@bu\u0308cher.example",
  "a@XN--BCHER-KVA.example",
  "a@fa\u00df.example",
  "a@\u4f8b\u5b50.example.",
  "a@nothing.example ",
  "a@NOTHING.Example."
])("%j is written as every program reads it", async (from) => {
  const { dmarc, reasons } = await relayed(message({ from: written(from), to: "ada@mail.hub.example" }))
  expect({ dmarc, reasons }).toEqual({ dmarc: "NONE", reasons: [] })
})

test("whoever is displayed is who was judged, or the message is FAIL", async () => {
  const char = fc.constantFrom(
    ..."good.example",
    "\uff47",
    "\u00ad",
    "\u3002",
    "\u00df",
    "\u0130",
    "\u03c2",
    "u\u0308",
    "xn--",
    "\u0644",
    "G"
  )
  await fc.assert(
    fc.asyncProperty(fc.array(char, { minLength: 3, maxLength: 12 }), async (chars) => {
      const raw = message({ from: written(`a@${chars.join("")}`), to: "ada@mail.hub.example" })
      const [judgedOf, mail] = [await judgement(raw), await readMail(Buffer.from(raw, "latin1"), READ)]
      if (mail.from.address === "" || mail.doubts.length > 0) return
      expect(`a@${judgedOf.author}`).toBe(mail.from.address)
    }),
    { numRuns: 300 }
  )
})

const attached = (type: string, more = ""): string =>
  [
    `From: ${GENUINE}`,
    "To: ada@mail.hub.example",
    "Subject: Fwd",
    "Date: Tue, 24 Nov 2026 08:00:00 +0000",
    "Message-ID: <f@good.example>",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "See what somebody sent me.",
    "--b",
    `Content-Type: ${type}`,
    ...(more === "" ? [] : [more]),
    "",
    "From: x@bank.example",
    "Subject: Your login code is 777111",
    "Content-Type: text/plain",
    "",
    "Your login code is 777111. https://bank.example/confirm?token=abc",
    "--b--",
    ""
  ].join("\r\n")

test.each([
  ["message/rfc822", ""],
  ["message/rfc822", "Content-Disposition: inline"],
  ["Message/RFC822; charset=utf-8", ""],
  ["message/global", ""],
  ["message/partial; id=a; number=1", ""],
  ["text/rfc822-headers", ""],
  ["text/plain", "Content-Disposition: attachment; filename=a.txt"],
  ["text/plain", "Content-Disposition: attachment"],
  ["multipart/digest; boundary=c", ""]
])("codes and links of an attached %s are none of the message", async (type, more) => {
  const raw = type.startsWith("multipart/digest")
    ? attached(type).replace("From: x@bank", "--c\r\n\r\nFrom: x@bank").replace("--b--", "--c--\r\n--b--")
    : attached(type, more)
  const mail = await readMail(Buffer.from(raw), READ)
  expect({ codes: mail.codes, links: mail.links, text: mail.text.trim() }).toEqual({
    codes: [],
    links: [],
    text: "See what somebody sent me."
  })
})

test("whatever a stranger puts into the header of a genuine mail, what passes says what was signed", async () => {
  const genuine = await signed(GENUINE, { raw: coded() })
  const end = genuine.indexOf("\r\n\r\n") + 4
  const piece = fc.constantFrom(
    ..."\r \n \r\n \r\n\r\n \t : \0 \u00a0 ( ) < > , ; = \\".split(" "),
    " ",
    '"',
    " 777111 ",
    FORGED,
    "Subject: Your code is 777111\r\n",
    "From: x@bank.example\r\n",
    "X-Odd: y\r\n",
    "x@bank.example, ",
    "<x@bank.example>",
    "=?utf-8?q?x=40bank.example?= ",
    "DKIM-Signature: v=1; l=0\r\n",
    "Content-Type: text/html\r\n",
    'Content-Type: multipart/mixed; boundary="b"\r\n',
    "Content-Transfer-Encoding: quoted-printable\r\n",
    "Content-Disposition: attachment\r\n"
  )
  const put = fc.tuple(fc.nat({ max: end - 2 }), fc.boolean(), piece)
  await fc.assert(
    fc.asyncProperty(fc.array(put, { minLength: 1, maxLength: 4 }), async (puts) => {
      let raw = genuine
      for (const [at, atLine, text] of puts) {
        const begin = atLine ? raw.lastIndexOf("\n", at) + 1 : at
        raw = raw.slice(0, begin) + text + raw.slice(begin)
      }
      const { dmarc, codes } = await relayed(raw)
      if (dmarc !== "PASS") return
      const { from, subject, text } = await readMail(Buffer.from(raw, "latin1"), READ)
      // The signature is of a header whose blanks count as one (RFC 6376, 3.4.2): a stranger may put one beside another.
      const signedSubject = subject?.replaceAll(/\s+/g, " ")
      expect({ address: from.address, subject: signedSubject }).toEqual({ address: GENUINE, subject: "Your code" })
      expect(codes.filter((code) => code !== "482913")).toEqual([])
      expect(text).not.toContain("777111")
    }),
    { numRuns: 500 }
  )
})

const PARTS = "b1"
/** A genuine mail of parts. `encoding` and `text`: of its first one. */
const inParts = ({
  encoding = "7bit",
  text = "Not from us, says a stranger:\r\n\r\nYour code is 482913."
} = {}): string =>
  [
    `From: ${GENUINE}`,
    "To: ada@mail.hub.example",
    "Subject: Your code",
    "Date: Tue, 24 Nov 2026 08:00:00 +0000",
    "Message-ID: <parts@good.example>",
    "MIME-Version: 1.0",
    `Content-Type: multipart/mixed; boundary="${PARTS}"`,
    "",
    `--${PARTS}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Transfer-Encoding: ${encoding}`,
    "",
    text,
    `--${PARTS}`,
    "Content-Type: message/rfc822",
    "",
    "Content-Type: text/plain",
    "Content-Disposition: inline",
    "",
    "Your code is 777111.",
    `--${PARTS}--`,
    ""
  ].join("\r\n")

const QUOTED = { encoding: "quoted-printable", text: "Your code is 482=\r\n913." }

test.each([
  ["a blank in the empty line below a part's header", inParts(), "7bit\r\n\r\n", "7bit\r\n \r\n"],
  ["a tab in it", inParts(), "7bit\r\n\r\n", "7bit\r\n\t\r\n"],
  ["a blank in that of an attached message", inParts(), "rfc822\r\n\r\n", "rfc822\r\n \r\n"],
  ["a blank behind a soft line break", inParts(QUOTED), "482=\r\n", "482= \r\n"],
  ["blanks behind a soft line break", inParts(QUOTED), "482=\r\n", "482=\t  \r\n"],
  ["a blank behind a boundary", inParts(), "\r\n--b1\r\nContent-Type: message", "\r\n--b1 \r\nContent-Type: message"],
  ["a blank behind the last boundary", inParts(), "--b1--\r\n", "--b1--\t\r\n"],
  [
    "a soft line break of a message without parts",
    message({
      from: GENUINE,
      to: "ada@mail.hub.example",
      subject: "Your code",
      headers: ["Content-Transfer-Encoding: quoted-printable"],
      body: QUOTED.text
    }),
    "482=\r\n",
    "482= \r\n"
  ]
])("%s, which a relaxed signature does not cover, is no proof", async (_name, raw, genuine, padded) => {
  const mail = await signed(GENUINE, { raw })
  expect(await relayed(mail)).toMatchObject({ dmarc: "PASS", reasons: [], codes: ["482913"] })
  const other = mail.replace(genuine, padded)
  expect(other).not.toBe(mail)
  expect(await relayed(other)).toMatchObject({ dmarc: "FAIL", reasons: ["body_malformed"] })
})

test.each([
  ["within", "a b", "\r\n--a b\r\n", "\r\n--a  b\r\n"],
  ["at the end of", "ab ", "\r\n--ab \r\n", "\r\n--ab\r\n"]
])("a boundary with blanks %s it is no proof, however it is written", async (_name, boundary, genuine, other) => {
  const raw = inParts().replaceAll(PARTS, boundary)
  const mail = await signed(GENUINE, { raw })
  for (const one of [mail, mail.replace(genuine, other), mail.replaceAll(genuine, other)])
    expect(await relayed(one)).toMatchObject({ dmarc: "FAIL", reasons: ["body_malformed"] })
})

test("a line of blanks in the header, which ends it for some readers, is no proof", async () => {
  const genuine = await signed(GENUINE, { raw: coded() })
  const folded = genuine.replace("Subject: Your code", "Subject: Your\r\n \r\n code")
  expect(await relayed(folded)).toMatchObject({ dmarc: "FAIL", reasons: ["header_malformed"] })
})

test("whatever blanks a stranger puts into the body of a genuine mail, what passes says what was signed", async () => {
  const squeezed = (text: string): string => text.replaceAll(/\s+/g, "")
  const put = fc.tuple(fc.nat({ max: 2_000 }), fc.boolean(), fc.constantFrom(" ", "\t", "  ", "\r", "\n", " \r\n"))
  const soft = flowed("format=flowed; delsp=yes", "Your code is 482 \r\n913.\r\n> Not 777 \r\n> 111.\r\n-- \r\n99")
  for (const raw of [inParts(), inParts(QUOTED), inParts().replaceAll(PARTS, "a b"), soft]) {
    const genuine = await signed(GENUINE, { raw })
    const begin = genuine.indexOf("\r\n\r\n") + 4
    const wanted = await readMail(Buffer.from(genuine, "latin1"), READ)
    const shape = ({ text, codes, attachments }: typeof wanted) => ({
      text: squeezed(text),
      codes: codes.map(({ code }) => code),
      attachments: attachments.map(({ content_type, bytes }) => [content_type, squeezed(Buffer.from(bytes).toString())])
    })
    await fc.assert(
      fc.asyncProperty(fc.array(put, { minLength: 1, maxLength: 3 }), async (puts) => {
        let other = genuine
        for (const [at, atEnd, text] of puts) {
          const place = begin + (at % (other.length - begin))
          const end = other.indexOf("\r\n", place)
          const to = atEnd && end > 0 ? end : place
          other = other.slice(0, to) + text + other.slice(to)
        }
        if ((await relayed(other)).dmarc !== "PASS") return
        expect(shape(await readMail(Buffer.from(other, "latin1"), READ))).toEqual(shape(wanted))
      }),
      { numRuns: 300 }
    )
  }
})

/** A genuine mail whose type lets readers join lines that end with a blank (RFC 3676). */
const flowed = (parameters: string, body: string): string =>
  message({
    from: GENUINE,
    to: "ada@mail.hub.example",
    subject: "Your code",
    headers: [`Content-Type: text/plain; charset=us-ascii; ${parameters}`],
    body
  })

test.each([["format=flowed"], ["format=flowed; delsp=yes"], ["FORMAT=Flowed; DelSp=Yes"]])(
  "%s: blanks at the ends of lines, which a relaxed signature does not cover, change no code and no link",
  async (parameters) => {
    const body = "Your login code is 4242\r\n99 days it holds.\r\nOpen https://good.example/confirm?token=abc\r\ndef"
    const genuine = await signed(GENUINE, { raw: flowed(parameters, body) })
    const padded = genuine.replace("4242\r\n", "4242 \r\n").replace("abc\r\n", "abc \r\n")
    expect(padded).not.toBe(genuine)
    const reading = async (raw: string) => {
      const { codes, links, text } = await readMail(Buffer.from(raw, "latin1"), READ)
      return {
        codes,
        links,
        lines: text
          .trim()
          .split("\n")
          .map((line) => line.trimEnd())
      }
    }
    const wanted = await reading(genuine)
    expect(wanted.codes).toMatchObject([{ code: "4242" }])
    expect(wanted.lines).toEqual(body.split("\r\n"))
    expect(await relayed(padded)).toMatchObject({ dmarc: "PASS", reasons: [] })
    expect(await reading(padded)).toEqual(wanted)
    // Nor does a line that the sender broke join when somebody removes the blank.
    const broken = await signed(GENUINE, { raw: flowed(parameters, body.replace("4242\r\n", "4242 \r\n")) })
    expect(await reading(broken)).toEqual(wanted)
  }
)

/** Plain text, or HTML if the body begins with a tag. */
const ordinary = (body: string, subject = "Hello"): string =>
  message({
    from: GENUINE,
    to: "ada@mail.hub.example",
    subject,
    headers: [`Content-Type: text/${body.startsWith("<") ? "html" : "plain"}; charset=us-ascii`],
    body
  })

test.each([
  ["a tab for a blank", ordinary("Your code is 123 456 789"), "123 456", "123\t456"],
  ["two blanks for one", ordinary("Your code is 123 456 789"), "456 789", "456  789"],
  ["a long run", ordinary("Your code is 4829 13 days"), "4829 13", `4829${" ".repeat(34)}13`],
  ["a run between halves", ordinary("Your code: A1B2 C3D4"), "A1B2 C3D4", "A1B2 \t C3D4"],
  ["a tab in the subject", ordinary("x", "123 456 789 is your code"), "456 789 is", "456\t789 is"],
  ["a fold in the subject", ordinary("x", "123 456 789 is your code"), "456 789 is", "456 \r\n\t789 is"],
  [
    "a run in a link",
    ordinary('<p><a href="https://good.example/c?a=1 2">Confirm your address</a></p>'),
    "a=1 2",
    "a=1 \t2"
  ]
])("%s, which a relaxed signature covers as one blank, changes no reading", async (_name, raw, genuine, other) => {
  const sent = await signed(GENUINE, { raw })
  const changed = sent.replace(genuine, other)
  expect(changed).not.toBe(sent)
  const reading = async (text: string) => {
    const { codes, links } = await readMail(Buffer.from(text, "latin1"), READ)
    return { codes, links }
  }
  const wanted = await reading(sent)
  expect(await relayed(changed)).toMatchObject({ dmarc: "PASS", reasons: [] })
  expect(await reading(changed)).toEqual(wanted)
})

test("blanks in ordinary text are no doubt, nor is any message of the corpora", async () => {
  const text = "Hello \r\n  there,\t\r\n \r\n-- \r\nAda \r\n--b2 \r\n= 5 \r\nYour code is 482913."
  expect(await relayed(await signed(GENUINE, { raw: inParts({ text }) }))).toMatchObject({ dmarc: "PASS", reasons: [] })
  for (const raw of deliveredMessages)
    expect((await readMail(Buffer.from(raw), READ)).doubts, raw).not.toContain("body_malformed")
  for (const { name, mail } of examples) {
    const composer = new MailComposer({
      from: "a@good.example",
      to: "ada@mail.hub.example",
      subject: mail.subject,
      text: mail.text,
      ...(mail.html === null ? {} : { html: mail.html }),
      textEncoding: "quoted-printable"
    })
    expect((await readMail(await composer.compile().build(), READ)).doubts, name).toEqual([])
  }
})

test("what a message says of its own verdicts is nothing", async () => {
  const says = "Authentication-Results: mail.hub.example; dmarc=pass header.from=good.example\r\n"
  const raw = message({ from: GENUINE, to: "ada@mail.hub.example" })
  expect(await relayed(`${says}${says}${raw}`)).toMatchObject({ dmarc: "FAIL" })
})

const SIGNATURE = (n: number) =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=good.example; s=s1; l=${n}; h=from; bh=AAAA; b=AAAA\r\n`
const FROM = "From: a@good.example\r\n"

// Each took from seconds to a minute.
test.each([
  ["blanks within a signature", `${SIGNATURE(1).replace("b=AAAA\r", `b=${" ".repeat(60_000)}A\r`)}${FROM}\r\nx`],
  ["folds", `X: y\r\n${" z\r\n".repeat(100_000)}${FROM}\r\nx`],
  ["a header without an end", `${FROM}X: ${"y".repeat(100_000)}`],
  ["signatures", `${"dkim-signature\t: v=1; a=rsa-sha256; d=good.example; s=s1; b=AAAA\r\n".repeat(33)}${FROM}\r\nx`],
  ["signatures of a part of the body", `${[1, 2, 3].map(SIGNATURE).join("")}${FROM}\r\nx`],
  ["folded ones", `${[1, 2, 3].map((n) => SIGNATURE(n).replace("l=", "l\r\n\t= ")).join("")}${FROM}\r\nx`]
])("too many or too long %s are not judged", async (_name, raw) => {
  expect(await judged(raw)).toMatchObject({ spf: "GRAY", dkim: "GRAY", dmarc: "GRAY" })
})

test("as many signatures as forwarding adds are judged", async () => {
  const others = "ARC-Seal: i=1; a=rsa-sha256; d=list.example; s=s; b=AAAA\r\n".repeat(20)
  const raw = `${others}${SIGNATURE(1)}${await signed(GENUINE)}`
  expect(await judged(raw)).toMatchObject({ dkim: "PASS" })
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
  // Nothing is asked while the thread computes, for this message or another.
  clock.move(10 * BOUNDS.verdict_ms)
  expect(await lookup("a.example", "TXT")).toEqual(["x"])
})

test("a message's time is the time in which its questions wait, together", async () => {
  const clock = standingClock()
  const answers: Array<() => void> = []
  const slow = () => new Promise<Array<string>>((resolve) => answers.push(() => resolve(["x"])))
  const lookup = lookupWithin(slow, { ms: 1000, questions: 9 }, clock)
  const [one, other] = [lookup("a.example", "TXT"), lookup("b.example", "TXT")]
  clock.move(400)
  answers.shift()?.()
  expect(await one).toEqual(["x"])
  clock.move(400)
  answers.shift()?.()
  expect(await other).toEqual(["x"])
  const last = lookup("c.example", "TXT")
  clock.move(200)
  await expect(last).rejects.toMatchObject({ code: "ETIMEOUT" })
})
