/** Letters as messages: what stands in them, and what hostile names, addresses and values make of them. */
import addressparser from "nodemailer/lib/addressparser"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { composed } from "../../../actors/letter/compose.ts"
import { newLetterId, openLetter, letterCommit, sealLetter } from "../../../actors/letter/posting.ts"
import { holdsSeconds, rendered, TEMPLATE_NAMES, type TemplateName } from "../../../actors/letter/templates.ts"
import { spoken } from "../../../actors/letter/templates/layout.ts"
import { Sealer } from "../../../actors/log/seal.ts"
import { letterLimits } from "../../../actors/letter/limits.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { AT, message, SERVICE, TO, TOKEN } from "./letters.ts"

const limits = letterLimits(LIMITS)

const LINK = `https://hub.example/below/owner/verify?token=${TOKEN}`
const path = "/owner/verify?token=abc"
const VALUES: Readonly<Record<TemplateName, Readonly<Record<string, string>>>> = {
  verify_address: { path },
  reset_password: { path },
  password_changed: {},
  two_step_changed: { what: "it was switched on" },
  chat_linked: {},
  push_subscribed: {},
  new_login: { when: "2030-01-02 03:04 UTC", what: "Firefox on Linux" },
  sponsorship_ended: { agent: "ada_1" },
  owner_confirmed: { agent: "ada_1", path: "/owner/agents/ada_1/owners/7" },
  relayed_event: { agent: "ada_1", what: "A private message arrived.", path: "/owner/agents/ada_1" },
  relayed_captcha: { agent: "ada_1", path: "/owner/captcha/7" },
  relayed_consent: { agent: "ada_1", path: "/owner/agents/ada_1" },
  relayed_words: { agent: "ada_1", words: "May I? It costs 12.50.", offered: "It offers: yes, no.", path },
  relayed_digest: { lines: "ada_1, 3 times: A private message arrived." }
}

const headersOf = (bytes: Uint8Array): ReadonlyArray<string> => {
  const text = Buffer.from(bytes).toString("latin1")
  return text
    .slice(0, text.indexOf("\r\n\r\n"))
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n")
}
const headerOf = (bytes: Uint8Array, name: string): string =>
  headersOf(bytes)
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2) ?? ""
const unquoted = (text: string): string =>
  Buffer.from(
    text
      .replaceAll("=\r\n", "")
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16))),
    "latin1"
  ).toString("utf8")

describe("a message", () => {
  test("has what a letter has, and no more", async () => {
    const { id, bytes } = await message()
    expect(
      headersOf(bytes)
        .map((line) => line.slice(0, line.indexOf(":")))
        .toSorted()
    ).toEqual(["Auto-Submitted", "Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Subject", "To"])
    expect(headerOf(bytes, "Auto-Submitted")).toBe("auto-generated")
    expect(headerOf(bytes, "Message-ID")).toBe(`<${id}@hub.example>`)
    expect(headerOf(bytes, "From")).toBe("Harbour <no-reply@hub.example>")
    expect(headerOf(bytes, "To")).toBe(`Ada <${TO}>`)
    expect(Date.parse(headerOf(bytes, "Date"))).toBe(AT)
    const text = unquoted(Buffer.from(bytes).toString("latin1"))
    expect(text).toContain(`Confirm the address:\r\n${LINK}\r\n`)
    expect(text).toContain(`<a href="${LINK}">Confirm the address</a>`)
    expect(text).toContain("The link holds for 48 hours.")
    expect(text).toMatch(/multipart\/alternative[^]*text\/plain[^]*text\/html/)
    expect(text).not.toMatch(/<img|<script|https?:\/\/(?!hub\.example\/below\/owner)/)
  })

  test("is the same each time", async () => {
    const id = newLetterId()
    const [one, two] = [await message({ id }), await message({ id })]
    expect(Buffer.from(one.bytes).equals(Buffer.from(two.bytes))).toBe(true)
  })
})

const HOSTILE = [
  "Ada\r\nBcc: all@victims.example",
  "Ada\nX: y",
  "Ada\u2028Bcc: x@y.example",
  'Ada" <evil@elsewhere.example>, "x',
  "Ada, evil@elsewhere.example",
  "Ada; evil@elsewhere.example;",
  "<evil@elsewhere.example>",
  "(comment) Ada \\",
  "Ädä Lövelace 李 🦀".repeat(50),
  "x".repeat(2000),
  `=?utf-8?q?=0d=0aBcc:_x@y.example?=`,
  "\u202eevil",
  "\0",
  "",
  "\ud800"
]

const expectHarmless = async (name: string): Promise<void> => {
  const { bytes } = await message({ name })
  const text = Buffer.from(bytes).toString("latin1")
  expect(headersOf(bytes)).toHaveLength(8)
  expect(text.split("\r\n").every((line) => line.length <= 998 && !/[\r\n]/.test(line))).toBe(true)
  // oxlint-disable-next-line no-control-regex
  expect(text).toMatch(/^[\x09\x0a\x0d\x20-\x7e]*$/)
  const parsed = addressparser(headerOf(bytes, "To"), { flatten: true })
  expect(parsed.map(({ address }) => address)).toEqual([TO])
}

describe("hostile names", () => {
  test.each(HOSTILE)("%j is a name, and nothing else", expectHarmless)

  test("whatever they are", async () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({ unit: "grapheme", maxLength: 300 })
    )
    await fc.assert(fc.asyncProperty(name, expectHarmless), { numRuns: 200 })
  })
})

test.each([
  "ada",
  "ada@",
  "@people.example",
  "ada@people.example, eve@people.example",
  "ada@people.example\r\nBcc: eve@people.example",
  "ada@people.example>",
  "<ada@people.example>",
  "Ada <ada@people.example>",
  '"a b"@people.example',
  "ada@people.example\0",
  "ädä@people.example",
  `ada@${"x".repeat(260)}.example`
])("no letter goes to %j", async (to) => {
  await expect(message({ to })).rejects.toThrow("refused")
})

test.each(["../../etc/passwd", "", "a".repeat(25), `${"a".repeat(26)}\n`])("no letter has the id %j", async (id) => {
  await expect(message({ id })).rejects.toThrow("refused")
  expect(() => letterCommit({ id, human: "hum_a", template: "verify_address", sealed: "" }, AT)).toThrow(TypeError)
})

describe("templates", () => {
  test.each(TEMPLATE_NAMES)("%s reads in both forms, and says why it was sent", (name) => {
    const laid = rendered(name, VALUES[name], SERVICE)
    expect(laid?.text).toMatch(/You get this letter because/)
    expect(laid?.text).toMatch(/Nobody at Harbour ever asks for your password/)
    expect(laid?.html).toContain('<meta name="color-scheme" content="light dark">')
    expect(laid?.subject.length).toBeLessThan(80)
    for (const value of Object.values(VALUES[name])) expect(laid?.text).toContain(value)
  })

  test("links hold as long as the limits say, and letters with them", () => {
    const held = TEMPLATE_NAMES.map((name) => [name, holdsSeconds(name, limits)] as const)
    expect(held.filter(([, seconds]) => seconds !== null)).toEqual([
      ["verify_address", 172_800],
      ["reset_password", 3600],
      ["owner_confirmed", 604_800],
      ["relayed_event", 21_600],
      ["relayed_captcha", 600],
      ["relayed_consent", 600],
      ["relayed_words", 21_600],
      ["relayed_digest", 21_600]
    ])
    expect(holdsSeconds("of_another_release", limits)).toBe(null)
    expect([3600, 172_800, 60, 90].map(spoken)).toEqual(["1 hour", "48 hours", "1 minute", "90 seconds"])
  })

  test.each([
    "",
    "owner/verify",
    "//elsewhere.example/owner",
    "/\\elsewhere.example",
    "https://elsewhere.example/",
    "/owner/../admin",
    "/owner/verify#x",
    "/@elsewhere.example",
    "/owner verify",
    "/owner/verify?token=a\r\nb",
    '/owner/verify?token="><script>',
    `/${"a".repeat(600)}`
  ])("no link leads to %j", (hostile) => {
    expect(rendered("verify_address", { path: hostile }, SERVICE)).toBe(null)
  })

  test("values that are missing, empty or not theirs make no letter", () => {
    expect(rendered("verify_address", {}, SERVICE)).toBe(null)
    expect(rendered("new_login", { when: "now", what: "\u0000\u202e" }, SERVICE)).toBe(null)
    expect(rendered("sponsorship_ended", { agent: "a b" }, SERVICE)).toBe(null)
    expect(rendered("of_another_release", {}, SERVICE)).toBe(null)
    expect(rendered("toString", {}, SERVICE)).toBe(null)
  })

  test("words of strangers are words: no markup, no lines, no addresses to follow", () => {
    const what = '<a href="x">www.evil.example</a>\r\nhttps://evil.example/ mail@evil.example javascript:alert(1) 😀'
    const laid = rendered("new_login", { when: "2030-01-02 03:04 UTC", what }, SERVICE)
    expect(laid?.text).toContain("When: 2030-01-02 03:04 UTC")
    expect(laid?.text).not.toMatch(/evil\.example|https:|@evil|javascript:/)
    expect(laid?.html).not.toMatch(/<a|evil\.example|javascript:/)
    expect(laid?.text.match(/^With: .*$/m)?.[0]).toContain("😀")
  })

  test("a deployment's own name is escaped", () => {
    const laid = rendered("password_changed", {}, { ...SERVICE, name: "A <b>&" })
    expect(laid?.html).toContain("A &lt;b&gt;&amp;")
    // Escaped as HTML, and as nothing else.
    expect(laid?.html).not.toMatch(/%[0-9A-F]{2}/)
    expect(laid?.html).not.toContain("<b>")
  })
})

test("a letter opens under its account's key, as itself, and nowhere else", () => {
  const content = { to: TO, name: "Ada", values: { path } }
  const sealer = new Sealer(new Uint8Array(32).fill(1))
  const [id, other] = [newLetterId(), newLetterId()]
  const sealed = sealLetter(sealer, id, content)
  expect(openLetter(sealer, id, sealed)).toEqual(content)
  expect(() => openLetter(sealer, other, sealed)).toThrow()
  expect(() => openLetter(new Sealer(new Uint8Array(32)), id, sealed)).toThrow()
  expect(() => openLetter(sealer, id, sealer.seal('{"to":7}', `letter ${id}`))).toThrow()
})

test("ids are drawn of all there are", async () => {
  const ids = Array.from({ length: 1000 }, newLetterId)
  expect(new Set(ids).size).toBe(1000)
  expect(new Set(ids.join(""))).toHaveLength(32)
  expect(letterCommit({ id: ids[0] ?? "", human: "hum_a", template: "verify_address", sealed: "s" }, AT)).toEqual({
    companions: [
      {
        kind: "letter",
        id: ids[0],
        expected: 0,
        events: [{ type: "letter.written", v: 1, human: "hum_a", template: "verify_address", sealed: "s" }],
        keepSeconds: 2_592_000
      }
    ],
    timers: [{ name: "send", at: AT, of: { kind: "letter", id: ids[0] } }]
  })
  const laid = rendered("password_changed", {}, SERVICE)
  const from = { name: "", address: "a@b.example" }
  expect(laid && (await composed(laid, { id: "x", to: TO, name: "", from, host: "b.example", at: AT }))).toBe(null)
})
