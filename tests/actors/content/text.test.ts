/** What makes two texts one, and what of a claim is released. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { claimed, evolveText, released, type TextClaim, textOf } from "../../../actors/content/text.ts"

test.each([
  ["a b", " a\n\tb  "],
  ["caf\u00e9", "cafe\u0301"]
])("%j is %j", (one, other) => {
  expect(textOf("post", "hx1", one)).toBe(textOf("post", "hx1", other))
})

test("another noun, author or word is another text", () => {
  const texts = [
    textOf("post", "hx1", "a"),
    textOf("thread", "hx1", "a"),
    textOf("post", "hx2", "a"),
    textOf("post", "hx1", "A")
  ]
  expect(new Set(texts).size).toBe(texts.length)
})

test("an id is a token of a subject, whatever the text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => /^[0-9a-f]{32}$/.test(textOf("post", "hx1", text))))
})

test("only who holds a claim releases it", () => {
  const claim: TextClaim = { text: "t", seq: 7, held: { noun: "post", id: 1 } }
  const events = [...claimed({ ...claim, held: null }, "post", 1).events]
  expect(events).toEqual([{ type: "text.claimed", v: 1, noun: "post", id: 1 }])
  expect(released(claim, "post", 2)).toEqual([])
  expect(released(claim, "thread", 1)).toEqual([])
  expect(released({ ...claim, held: null }, "post", 1)).toEqual([])
  const [release] = released(claim, "post", 1)
  expect(release).toMatchObject({ kind: "text", id: "t", expected: 7 })
  expect(evolveText({ noun: "post", id: 1 }, { type: "text.released", v: 1 })).toBeNull()
})
