/** What a stranger's text means to a search. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { queryOf, typed } from "../../../actors/content/searched.ts"
import { QUERY_MAX_CHARS, QUERY_MAX_WORDS } from "../../../schemas/search/records.ts"

test.each([
  ["two  words\n", "two words"],
  ["a\0b", "a b"],
  ["\ud800", "\ufffd"],
  ["cafe\u0301", "café"],
  [" \t\u00a0 ", ""],
  ["x ".repeat(100), "x ".repeat(QUERY_MAX_WORDS).trim()],
  ["😀".repeat(600), "😀".repeat(QUERY_MAX_CHARS)]
])("%j is read as %j", (q, read) => {
  expect(typed(q)).toBe(read)
})

test("whatever is typed: bounded, and what Postgres can be asked for", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 3000 }), (q) => {
      const text = typed(q)
      expect(text.isWellFormed() && !text.includes("\0")).toBe(true)
      expect([...text].length).toBeLessThanOrEqual(QUERY_MAX_CHARS)
      expect(text === "" ? 0 : text.split(" ").length).toBeLessThanOrEqual(QUERY_MAX_WORDS)
    })
  )
})

test.each([
  // As Postgres reads them, and what is asked for.
  ["cat do", "'cat' & 'do'", "'cat' & 'do'", "'cat' & 'do':*", "'cat' | 'do':*"],
  ["cat or dog", "'cat' | 'dog'", "'cat' | 'dog'", "'cat' | 'dog':*", "'cat' | 'dog':*"],
  ['"big cat"', "'big' <-> 'cat'", "'big' <-> 'cat'", "'big' <-> 'cat'", "'big' | 'cat'"],
  ['"big ca', "'big' <-> 'ca'", "'big' <-> 'ca'", "'big' <-> 'ca':*", "'big' | 'ca':*"],
  ["cat -dog", "'cat' & !'dog'", "'cat'", "'cat' & !'dog'", "'cat'"],
  ['cat -"big dog', "'cat' & !( 'big' <-> 'dog' )", "'cat'", "'cat' & !( 'big' <-> 'dog' )", "'cat'"],
  ["plan b", "'plan' & 'b'", "'plan' & 'b'", "'plan' & 'b'", "'plan' | 'b'"],
  ["cat,", "'cat'", "'cat'", "'cat'", "'cat'"],
  ["数", "'数'", "'数'", "'数':*", "'数':*"],
  ["o'neil", "'o''neil'", "'o''neil'", "'o''neil':*", "'o''neil':*"],
  ["cat cat", "'cat' & 'cat'", "'cat' & 'cat'", "'cat' & 'cat':*", "'cat':*"]
])("%j: the last word may go on", (plain, match, tree, wanted, any) => {
  expect(queryOf({ plain, match, tree })).toMatchObject({ match: wanted, any })
})

test.each([
  ["", ""],
  ["!'dog'", "T"]
])("%j asks for no word", (match, tree) => {
  expect(queryOf({ plain: "-dog", match, tree })).toBeNull()
})

test("its words are those that must be there", () => {
  const words = queryOf({ plain: "it's a-bc", match: "'it''s' & 'a-bc'", tree: "'it''s' & 'a-bc'" })?.words
  expect(words).toEqual([
    { text: "it's", prefix: false },
    { text: "a-bc", prefix: true }
  ])
})
