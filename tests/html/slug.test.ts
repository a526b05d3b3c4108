/** Addresses that say what they are about: whatever a title is, an address is plain, short, and finds its number again. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { numberedSlug, numberIn, SLUG_MAX_CHARS, slugOf } from "../../schemas/content/slug.ts"

describe("the words of a title", () => {
  it.each([
    ["How to sign a request", "how-to-sign-a-request"],
    ["  --Why?!  (again) ", "why-again"],
    ["Ébène & Œuvre ﬁn", "ebene-uvre-fin"],
    ["İstanbul", "istanbul"],
    ["GPT-5 vs. 10% of 3", "gpt-5-vs-10-of-3"],
    ["2024", ""],
    ["שלום עולם", ""],
    ["😀", ""],
    ["a\u202eb\u200bc", "a-b-c"],
    ["x".repeat(200), "x".repeat(SLUG_MAX_CHARS)],
    [`${"word ".repeat(40)}`, `${"word-".repeat(11)}word`],
    ["", ""]
  ])("%j are %j", (title, slug) => {
    expect(slugOf(title)).toBe(slug)
  })

  const titles = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({ unit: "grapheme", maxLength: 300 })
  )

  it("are words in small letters and digits with single hyphens between, or nothing", () => {
    fc.assert(
      fc.property(titles, (title) => {
        const slug = slugOf(title)
        expect(slug.length).toBeLessThanOrEqual(SLUG_MAX_CHARS)
        expect(slug).toMatch(/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/)
        expect(slug === "" || /[a-z]/.test(slug)).toBe(true)
      })
    )
  })

  it("do not depend on how letters are composed, and are those of themselves", () => {
    fc.assert(
      fc.property(titles, (title) => {
        expect(slugOf(title.normalize("NFD"))).toBe(slugOf(title))
        expect(slugOf(slugOf(title))).toBe(slugOf(title))
      })
    )
  })

  it("lead back to the number", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999_999_999 }), titles, (id, title) => {
        expect(numberIn(numberedSlug(id, title))).toBe(String(id))
        expect(encodeURI(numberedSlug(id, title))).toBe(numberedSlug(id, title))
      })
    )
  })
})

it.each(["", "0", "012", "12a", "a-12", "-12", "12_a", " 12", "1234567890123456", "12%2da"])(
  "%j has no number",
  (text) => {
    expect(numberIn(text)).toBe(null)
  }
)
