/** Numbers of cards are found as people write them, and nothing else is (contract 20). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { holdsCardNumber } from "../../../schemas/secret/card-number.ts"

/** Of test cards that their issuers publish. */
const CARDS = [
  "4111111111111111",
  "4000056655665556",
  "5555555555554444",
  "2223003122003222",
  "378282246310005",
  "371449635398431",
  "6011111111111117",
  "3056930009020004",
  "36227206271667",
  "3566002020360505",
  "6200000000000005",
  "4000000000000000006",
  "4222222222222",
  "6759649826438453"
]

const grouped = (digits: string): ReadonlyArray<string> => {
  const groups = digits.length === 15 ? [4, 6, 5] : digits.length === 14 ? [4, 6, 4] : [4, 4, 4, 4, 3]
  let at = 0
  const parts = groups.map((length) => digits.slice(at, (at += length))).filter((part) => part !== "")
  return [" ", "-", "\u00a0", "  ", ".", "\u2013", " - ".trim(), "\n"].map((between) => parts.join(between))
}

const valid = CARDS.filter((card) => holdsCardNumber(card))

describe("a card", () => {
  it.each(valid)("%s is one, together and in groups, in a sentence and with its code behind it", (card) => {
    for (const written of [card, ...grouped(card)])
      for (const text of [
        written,
        `Pay with ${written}, please.`,
        `(${written})`,
        `card: ${written} 123`,
        `\n${written}\n`
      ])
        expect(holdsCardNumber(text), text).toBe(true)
  })

  it("is known of every issuer", () => {
    expect(valid.map((card) => card.slice(0, 2))).toEqual(
      expect.arrayContaining(["41", "55", "22", "37", "60", "36", "35", "62"])
    )
  })
})

describe("no card", () => {
  it.each([
    "4111111111111112",
    "12345678",
    "1234567890123",
    "+49 151 1234 5678 9012",
    "+4111111111111111",
    "x4111111111111111",
    "4111111111111111a",
    "41111111111111111111111",
    "2026-11-23 14:05:06",
    "HX-4111111111111111x",
    "9999 9999 9999 9995",
    "550e8400-e29b-41d4-a716-446655440000",
    "12345678-1234-1234-1234-123456789012"
  ])("is %s", (text) => {
    expect(holdsCardNumber(text)).toBe(false)
  })

  it("is what has another check digit", () => {
    fc.assert(
      fc.property(fc.constantFrom(...valid), fc.integer({ min: 1, max: 9 }), (card, more) => {
        const last = (Number(card.at(-1)) + more) % 10
        expect(holdsCardNumber(`${card.slice(0, -1)}${last}`)).toBe(false)
      })
    )
  })
})

it("takes a time in proportion to the text", () => {
  const long = "4111 ".repeat(40_000)
  expect(holdsCardNumber(long)).toBe(false)
})
