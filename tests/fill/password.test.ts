/** Passwords by the rules that pages tell, and amounts as they write them. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makePassword, type Rules } from "../../edge/fill/password.ts"
import { amountsOf, problemOf } from "../../edge/fill/total.ts"

const NONE: Rules = { rules: "", min: -1, max: -1, pattern: "" }

describe("a password", () => {
  it.each([
    [{}, /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w\-.!*]{24}$/],
    [{ max: 12 }, /^[\w\-.!*]{12}$/],
    [{ min: 40 }, /^[\w\-.!*]{40}$/],
    [{ pattern: "[0-9]{16,24}" }, /^\d{24}$/],
    [
      { rules: "minlength: 8; maxlength: 14; required: digit; required: [-]; allowed: upper" },
      /^(?=.*-)(?=.*\d)[A-Z\d-]{14}$/
    ]
  ] as ReadonlyArray<[Partial<Rules>, RegExp]>)("for %j", (rules, expected) => {
    for (let times = 0; times < 50; times++) expect(makePassword({ ...NONE, ...rules })).toMatch(expected)
  })

  it.each([{ max: 6 }, { rules: "allowed: [a]" }, { pattern: "[0-9]{4}", max: 8 }])(
    "that %j would leave is none",
    (rules) => {
      expect(() => makePassword({ ...NONE, ...rules })).toThrow("password")
    }
  )

  it("is never below 40 bits, whatever a page says", () => {
    const rules = fc.record({
      rules: fc.string({ maxLength: 80 }),
      min: fc.integer({ min: -1, max: 100 }),
      max: fc.integer({ min: -1, max: 100 }),
      pattern: fc.string({ maxLength: 40 })
    })
    fc.assert(
      fc.property(rules, (given) => {
        try {
          const password = makePassword(given)
          return password.length >= 8 && password.length <= 60
        } catch (error) {
          return error instanceof Error && error.message.includes("password")
        }
      }),
      { numRuns: 2_000 }
    )
  })
})

describe("an amount", () => {
  it.each([
    ["1.234,56", "EUR", [123_456]],
    ["1,234.56", "EUR", [123_456]],
    ["1.234", "EUR", [123_400]],
    ["1 234,5", "EUR", [123_450]],
    ["42", "EUR", [4_200]],
    ["1,234", "JPY", [1_234]],
    ["1.234", "KWD", [1_234_000, 1_234]],
    ["42.50.", "EUR", [4_250]],
    [",,,", "EUR", []]
  ])("%s in %s", (text, currency, expected) => {
    expect(amountsOf(text, currency)).toEqual(expected)
  })

  it.each([
    ["Pay €42.50", [], null],
    ["Pay €425.00", ["Total €42.50"], "amount_mismatch"],
    ["Pay", ["Total $42.50"], "currency_mismatch"],
    ["Pay", ["Total $45.00", "Total €40.00"], "amount_mismatch"],
    ["Pay", ["Subtotal €40.00", "Total €42.50"], null],
    ["Pay", ["Subtotal €42.50"], null]
  ] as ReadonlyArray<[string, ReadonlyArray<string>, string | null]>)("by %s and %j", (button, lines, expected) => {
    expect(problemOf(4_250, "EUR", { lines, buttons: [button] })).toBe(expected)
  })
})
