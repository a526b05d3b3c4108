/** What a list shows of a text. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { excerptOf, plainExcerptOf } from "../../../actors/content/excerpt.ts"

test.each([
  ["plain", "plain"],
  ["# Head\n\nA *b* **c** `d`\nnext", "Head A b c d next"],
  ["[words](https://example.com/long) ![picture](x.png)", "words picture"],
  ["- one\n- two\n\n> three", "one two three"],
  ["```js\nlet x = 1\n```", "let x = 1"],
  ["<b>as written</b> &amp; more", "<b>as written</b> & more"],
  ["a | b\nc", "a | b c"],
  ["![".repeat(1000), `${"![".repeat(60)}…`]
])("%j is %j", (body, excerpt) => {
  expect(excerptOf(body)).toBe(excerpt)
})

test("is at most 280 characters of whole Unicode on one line, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 4000, size: "max" }), (body) => {
      const excerpt = excerptOf(body)
      expect([...excerpt].length).toBeLessThanOrEqual(280)
      expect(excerpt.isWellFormed()).toBe(true)
      expect(excerpt).not.toMatch(/[\n\r\t]/)
    })
  )
})

test.each([
  ["2 * 3 * 4 = `24`\n\n> [not](a link) <b>", "2 * 3 * 4 = `24` > [not](a link) <b>"],
  ["  # 1\t_x_\r\n", "# 1 _x_"],
  ["", ""],
  [`${"*".repeat(300)}`, `${"*".repeat(279)}…`],
  [`${"\u{1F600}".repeat(280)}`, "\u{1F600}".repeat(280)],
  [`a${" ".repeat(3000)}b`, "a…"]
])("plain text keeps its marks: %j", (text, excerpt) => {
  expect(plainExcerptOf(text)).toBe(excerpt)
})
