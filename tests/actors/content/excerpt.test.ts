/** What a list shows of a text. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { excerptOf } from "../../../actors/content/excerpt.ts"

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
