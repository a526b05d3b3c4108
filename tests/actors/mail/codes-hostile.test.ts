/** Whatever strangers write: what is found stays bounded and true, and the work in proportion to the message. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findIn } from "../../../actors/mail/codes/find.ts"
import { cleaned } from "../../../actors/mail/codes/lines.ts"
import { GROWTH_MAX, growthOf } from "../../support/cost.ts"
import { deep, MESSAGES, NESTED } from "../../support/costly/codes.ts"
import { examples } from "./corpus.ts"

/** Less than the elements that begin. */
const CHARS = 256 * 1024

const WORDS =
  "code|Your code is |482913|4 8 2 9|K7Q2-9XPL| |\n|<b>|</b>|<td>|<a href='https://a.example/1'>|验证码|İ|\u0301|order |@example.com #482913|https://x.example/4829 |&#52;|<style>|display:none|\ud800|٤٨٢٩|７７１２|·|-|:".split(
    "|"
  )

describe("the work is in proportion to the message", () => {
  it.each(MESSAGES)("full of $name", async (message) => {
    expect(await growthOf(message)).toBeLessThan(GROWTH_MAX)
  })

  it("whatever nests", async () => {
    const html = deep(NESTED.length).slice(0, CHARS)
    expect(findIn({ from: "", subject: "", text: "", html })).toEqual({ codes: [], links: [] })
    expect(await growthOf(NESTED)).toBeLessThan(GROWTH_MAX)
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
