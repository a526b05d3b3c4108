/** What a stranger's text means to a search. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { searchVectorOf, textQuery, typed } from "../../../actors/content/searched.ts"
import { markedIn, matching } from "../../../actors/search/match.ts"
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
  ["cat do", "'cat' & ('do' | '*do')", null, "'cat' | 'do':*"],
  ["CAT Çà", "'cat' & ('ca' | '*ca')", null, "'cat' | 'ca':*"],
  ["cat or dog", "'cat' | ('dog' | '*dog')", null, "'cat' | 'dog':*"],
  ["a cat or dog", "'a' & 'cat' | ('dog' | '*dog')", null, "'a' | 'cat' | 'dog':*"],
  ["or cat or", "('cat' | '*cat')", null, "'cat':*"],
  ['"big cat"', "('big' <1> 'cat')", null, "'big' | 'cat'"],
  ['"big ca', "'big' & ('ca' | '*ca')", "('big' <1> 'ca':*)", "'big' | 'ca':*"],
  ["“big cat”", "('big' <1> 'cat')", null, "'big' | 'cat'"],
  ["cat -dog", "'cat' & !'dog'", null, "'cat'"],
  ["cat --dog", "'cat' & !'dog'", null, "'cat'"],
  ['cat -"big dog', "'cat' & !('big' <1> 'dog')", null, "'cat'"],
  ["cat or -dog", "('cat' | '*cat')", null, "'cat':*"],
  ["plan b", "'plan' & 'b'", null, "'plan' | 'b'"],
  ["cat,", "'cat'", null, "'cat'"],
  ["cat,dog", "'cat' & ('dog' | '*dog')", null, "'cat' | 'dog':*"],
  ["v1.5", "('v1' <1> '5')", null, "'v1' | '5'"],
  ["example.com", "'example' & ('com' | '*com')", "('example' <1> 'com':*)", "'example' | 'com':*"],
  ["cat o'neil", "'cat' & 'o' & ('neil' | '*neil')", "'cat' & ('o' <1> 'neil':*)", "'cat' | 'o' | 'neil':*"],
  ["cat cat", "'cat' & ('cat' | '*cat')", null, "'cat' | 'cat':*"],
  ["abcdefghij", "('abcdefghij' | '*abcdefghij')", null, "'abcdefghij':*"],
  ["abcdefghijk", "('abcdefghijk' | '*abcdefghij')", "'abcdefghijk':*", "'abcdefghijk':*"],
  ["п", "('п' | '*п')", null, "'п':*"],
  ["서울 cat ", "'서울' & ('cat' | '*cat')", null, "'서울' | 'cat':*"],
  ["数", "('数' | '*数')", null, "'数':*"],
  ["cat -数", "'cat' & !('数' | '*数')", null, "'cat'"],
  ['cat -"a 数"', "'cat'", "'cat' & !('a' <1> '数':*)", "'cat'"],
  ["东京", "'东京'", null, "'东京'"],
  ["東京都", "('東京' <1> '京都')", null, "'東京' | '京都'"],
  ["iPhoneの使い方", "('iphone' <1> 'の使' <1> '使い' <1> 'い方')", null, "'iphone' | 'の使' | '使い' | 'い方'"],
  ['"東京 タワー"', "('東京' <2> 'タワ' <1> 'ワー')", null, "'東京' | 'タワ' | 'ワー'"],
  ["'; drop | !(a:*) <->", "'drop' & 'a'", null, "'drop' | 'a'"]
])("%j is looked for as %j", (q, match, exact, any) => {
  expect(textQuery(q)).toMatchObject({ match, exact, any })
})

test("the index is asked for no beginning that it must look for", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (q) => {
      expect(textQuery(q)?.match ?? "").not.toContain(":*")
    })
  )
})

test.each(["", "-dog", "or", '""', "-", "a".replace("a", "\u0301"), "😀 \ufe0f", "-a or -b"])(
  "%j asks for no word",
  (q) => {
    expect(textQuery(q)).toBeNull()
  }
)

test("its words are those that must be there", () => {
  expect(textQuery("it's a-bc -de 東京都")?.words).toEqual([
    { text: "it", isUnspaced: false, prefix: false },
    { text: "s", isUnspaced: false, prefix: false },
    { text: "a", isUnspaced: false, prefix: false },
    { text: "bc", isUnspaced: false, prefix: false },
    { text: "東京都", isUnspaced: true, prefix: true }
  ])
})

test("of very much that is typed the beginning is looked for", () => {
  for (const q of ["數".repeat(500), "a-b-".repeat(125), '"a b" '.repeat(80), "東京 ".repeat(160)])
    expect(textQuery(q)?.match.match(/'/g)?.length).toBeLessThanOrEqual(4 * 32)
  expect(textQuery("數".repeat(500))).not.toBeNull()
})

test("title over tags over body; no phrase goes from one to the next", async () => {
  const search = await searchVectorOf({ title: "Ａ Café", tags: ["tea-time"], body: "Tea, 東京都 1.5" })
  expect(search).toBe(
    "'a':1A 'cafe':2A 'tea':4B,7C 'time':5B '東京':8C '京都':9C '都':10C '1':11C '5':12C " +
      "'*ca' '*caf' '*te' '*ti' '*tim' '*東' '*京'"
  )
})

test.each(["España", "São Tomé", "Việt Nam", "m̃ n̄"])("%s is one word in either form of its accents", async (text) => {
  const [composed, apart] = [text.normalize("NFC"), text.normalize("NFD")]
  const search = (body: string) => searchVectorOf({ title: "", tags: [], body })
  expect(await search(apart)).toBe(await search(composed))
  const words = (await search(apart)).split(" ").filter((lexeme) => !lexeme.startsWith("'*"))
  expect(words).toHaveLength(text.split(" ").length)
  expect(markedIn(apart, matching(textQuery(`${text} `)?.words ?? []))).toContain("**")
})
