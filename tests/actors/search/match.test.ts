/** What is shown of a match: plain text, marked, short. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { textQuery } from "../../../actors/content/searched.ts"
import { containing, markedIn, markedInMarkdown, markedWhole, matching } from "../../../actors/search/match.ts"

const seeking = (q: string) => matching(textQuery(q)?.words ?? [])

const CREME = seeking("creme bru")

test.each([
  ["Crème brûlée", "**Crème** **brûlée**"],
  ["CREME, cremes; brutal", "**CREME**, cremes; **brutal**"],
  ["a ** b *Crème*", "a b **Crème**"],
  ["two\nlines of\tcreme ", "two lines of **creme**"]
])("%j is shown as %j", (text, shown) => {
  expect(markedIn(text, CREME)).toBe(shown)
})

test.each(["", "cream", "a **brand** new bro", "*".repeat(1000)])("in %j nothing matches", (text) => {
  expect(markedIn(text, CREME)).toBeNull()
})

test("letters without an accent are found as they are searched", () => {
  expect(markedIn("Die Straße", seeking("strasse "))).toBe("Die **Straße**")
})

test("what has marks within is looked for word by word", () => {
  expect(markedIn("See example.community, example.org", seeking("example.com"))).toBe(
    "See **example**.**community**, **example**.org"
  )
})

test.each([
  ["东京", "我住在东京都。", "我住在**东京**都。"],
  ["使い方 iphone", "iPhoneの使い方", "**iPhone**の**使い方**"],
  ["สวัสดี", "เขาพูดว่าสวัสดีครับ", "เขาพูดว่า**สวัสดี**ครับ"],
  ["ガ", "ｶﾞ", "**ｶﾞ**"],
  ["서울", "서울에서", "**서울**에서"]
])("of a script without spaces %j is marked in its place in %j", (q, text, shown) => {
  expect(markedIn(text, seeking(q))).toBe(shown)
})

test("of a long text the part around the first match is shown", () => {
  const text = `${"early ".repeat(100)}creme ${"later ".repeat(100)}`
  const shown = markedIn(text, CREME) ?? ""
  expect(shown).toMatch(/^…(early )+\*\*creme\*\* (later )+.*…$/)
  expect(shown.length).toBeLessThanOrEqual(280 + 4 + 2)
})

test("of markdown the words are shown", () => {
  const text = `${"Some _text_. ".repeat(100)}\n\n## A [link](https://example.com) to **crème**\n\n> and *more*`
  expect(markedInMarkdown(text, CREME)).toMatch(/^….*A link to \*\*crème\*\* and more$/)
})

test("a name that is alike is marked whole; one that has the part, where it has it", () => {
  expect(markedWhole("al*ice")).toBe("**alice**")
  expect(markedIn("my-robot_two", containing(["BOT"]))).toBe("my-**robot**_two")
})

test("every text has pairs of marks alone, whole characters, and stays short", () => {
  const text = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("creme ", "*", "**", " ", "😀")), {
    maxLength: 400
  })
  fc.assert(
    fc.property(text, (parts) => {
      const whole = parts.join("")
      for (const shown of [markedIn(whole, CREME), markedInMarkdown(whole, CREME)]) {
        if (shown === null) continue
        expect(shown.isWellFormed()).toBe(true)
        const pieces = shown.split("**")
        expect(pieces.length % 2).toBe(1)
        for (const [index, piece] of pieces.entries()) {
          expect(piece).not.toContain("*")
          if (index % 2 === 1) expect(CREME(piece)).toBe(`**${piece}**`)
        }
        expect(pieces.join("").length).toBeLessThanOrEqual(282)
      }
    }),
    { numRuns: 200 }
  )
})
