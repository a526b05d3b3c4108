/** Whatever strangers write: what is found stays bounded and true, and the work in proportion to the message. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findIn } from "../../../actors/mail/codes/find.ts"
import { cleaned } from "../../../actors/mail/codes/lines.ts"
import { cpuMsOf, leastExcess } from "../../support/pace.ts"
import { examples } from "./corpus.ts"

const KB = 1024
const FULL = 256 * KB
const QUARTER = 64 * KB

const filled = (chars: number, part: string): string => part.repeat(Math.ceil(chars / part.length)).slice(0, chars)

const PARTS: ReadonlyArray<string> = [
  "7",
  "48291 ",
  "482913 771204 ",
  "4 ",
  "4-",
  "K7Q2-",
  "code ",
  "code 482913 ",
  "verification code order number ",
  "Bestätigungscode",
  "验证码",
  "验证码482913，",
  "验证码订单号",
  "<a href=",
  '<a href="https://a.example/x">',
  '<a href="https://a.example/?q=1">confirm</a>',
  "<div>",
  "<b>",
  "<i></b>",
  "<td>4",
  "<p>4</p>",
  "</p>",
  "<",
  "&",
  "&amp;4",
  "<!--",
  "<style>.a{color:red}</style>",
  '<p class="a b c d" style="color:red;display:block">4829</p>',
  "<pre>\n\n4829",
  "https://",
  "https://a.example/( ",
  "https://a.example/1 ",
  "a@",
  "a/",
  "a.b/",
  "((((",
  ")))).",
  "!!!!",
  ". 4829",
  "\u200b",
  "é",
  "@example.com #123456\n",
  "\n",
  "4829\n",
  "code:\n4829\n",
  "<b>code 4829</b> "
]

const WORDS =
  "code|Your code is |482913|4 8 2 9|K7Q2-9XPL| |\n|<b>|</b>|<td>|<a href='https://a.example/1'>|验证码|İ|\u0301|order |@example.com #482913|https://x.example/4829 |&#52;|<style>|display:none|\ud800|٤٨٢٩|７７１２|·|-|:".split(
    "|"
  )

const TRIES = 5
/** Of a quiet machine. */
const FULL_MAX_MS = 300
const NESTED_MAX_MS = 1000

const run = (part: string, chars: number) => (): void => {
  const text = filled(chars, part)
  findIn({ from: "a@b.example", subject: text, text, html: text })
}

describe("the work is in proportion to the message", () => {
  it.each(PARTS.map((part) => [part]))("full of %j", async (part) => {
    run(part, QUARTER)()
    const quarter = Math.min(...[1, 2, 3].map(() => cpuMsOf(run(part, QUARTER))))
    // Four times as much takes four times as long; in proportion to the square it would be sixteen.
    const most = Math.max(10 * quarter, FULL_MAX_MS)
    expect(await leastExcess(TRIES, most, () => cpuMsOf(run(part, FULL)))).toBeLessThan(1)
  })

  it("whatever nests", async () => {
    const deep = `${"<div>".repeat(100_000)}<p>Your code is 482913</p>${"</div>".repeat(100_000)}`
    expect(findIn({ from: "", subject: "", text: "", html: deep.slice(0, FULL) })).toEqual({ codes: [], links: [] })
    const nested = () => findIn({ from: "", subject: "", text: "", html: deep })
    expect(await leastExcess(TRIES, NESTED_MAX_MS, () => cpuMsOf(nested))).toBeLessThan(1)
  })
})

describe("whatever is written", () => {
  const words = fc.constantFrom(...WORDS)
  const text = fc.oneof(
    fc.string({ maxLength: 200, unit: "binary" }),
    fc.array(words, { maxLength: 40 }).map((parts) => parts.join("")),
    fc.constantFrom(...examples.map(({ mail }) => mail.html ?? mail.text))
  )

  it("it is read, within bounds, and each code stands in the message", () =>
    fc.assert(
      fc.property(text, text, fc.option(text), (subject, body, html) => {
        const { codes, links } = findIn({ from: "", subject, text: body, html })
        const bare = (some: string): string => some.replaceAll(/[^0-9A-Za-z]/g, "")
        const entities = (html ?? "").replaceAll("&#52;", "4").replaceAll(/<[^<>]*>/g, "")
        const all = bare(cleaned(subject) + "|" + cleaned(body)) + bare(cleaned(entities)) + bare(cleaned(html ?? ""))
        expect(codes.length).toBeLessThanOrEqual(10)
        for (const { code, context, confidence } of codes) {
          expect(all).toContain(bare(code))
          expect(code).toMatch(/^[0-9A-Za-z-]{4,30}$/)
          expect(confidence).toBeGreaterThanOrEqual(0.3)
          expect(confidence).toBeLessThanOrEqual(1)
          expect(context.length).toBeLessThanOrEqual(120)
          expect(context).not.toMatch(/[\r\n]/)
        }
        expect(new Set(codes.map(({ code }) => code)).size).toBe(codes.length)
        expect(new Set(links.map(({ url }) => url)).size).toBe(links.length)
        for (const { url, host } of links) {
          expect(url).toMatch(/^https?:\/\//)
          expect(url.length).toBeLessThanOrEqual(2048)
          expect(host).toBe(new URL(url).hostname)
        }
      }),
      { numRuns: 500 }
    ))

  it("it is read the same each time", () => {
    for (const { mail } of examples) expect(findIn(mail)).toEqual(findIn(mail))
  })
})
