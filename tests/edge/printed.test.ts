/** Text of strangers on its way to a terminal or a page of operators: what is not seen is written out. */
import { describe, expect, test } from "vitest"
import { Schema } from "effect"
import { Name } from "../../schemas/agent/fields.ts"
import { VISIBLE } from "../../schemas/plain-text.ts"
import { harmless } from "../../schemas/printed.ts"
import { hasUnseen } from "../../schemas/unseen.ts"
import { cpuMsOf, growth, GROWTH_MAX } from "../support/cost.ts"

const code = (point: number): string => `U+${point.toString(16).padStart(4, "0")}`
const IGNORABLE = /[\p{DI}\ufff9-\ufffc\u2800\u{1d159}\u{13441}\u{13442}]/u

describe("what shows nothing", () => {
  test("is written out, each character there is", () => {
    const raw: Array<string> = []
    for (let point = 0; point <= 0x10ffff; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue
      const character = String.fromCodePoint(point)
      if (!IGNORABLE.test(character)) continue
      if (harmless(`a${character}b`).includes(character) || !hasUnseen(`a${character}b`)) raw.push(code(point))
    }
    expect(raw).toEqual([])
  })

  test("is text of JSON that says the same", () => {
    const text = "a\u206a\u034f\u115f\u{e0101}\u00ad\u200db"
    expect(harmless(text)).toBe("a\\u206a\\u034f\\u115f\\udb40\\udd01\\u00ad\\u200db")
    expect(JSON.parse(`"${harmless(text)}"`)).toBe(text)
  })
})

test.each([
  "👩‍💻 👍🏽 🏳️‍🌈 ❤️ 1️⃣ 👁️‍🗨️",
  "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
  "می‌خواهم",
  "क्‍ष",
  "ന്‍",
  "⠓⠥⠃⠀⠞⠑⠁⠍",
  "葛\u{e0100}",
  "a\tb\nc",
  "naïve Ünïcode 中文"
])("what shapes its neighbours stays: %s", (text) => {
  expect([harmless(text), hasUnseen(text)]).toEqual([text, false])
})

test("joiners and selectors that shape nothing are written out", () => {
  expect(harmless("❤️\ufe0f")).toBe("❤️\\ufe0f")
  expect(harmless("👩\u200d")).toBe("👩\\u200d")
  expect(harmless("1\ufe0f")).toBe("1\\ufe0f")
  expect(harmless("می\u200c")).toBe("می\\u200c")
  for (const text of ["🏴\u{e0067}\u{e0062}\u{e007f}", "🏴x\u{e007f}", "a\u2800", "\u2800\u2800"])
    expect([text, hasUnseen(text)]).toEqual([text, true])
})

test.each(["a\u{e0061}", "\u{e0061}", "🏴\u{e0067}", "❤️\ufe0f", "\u200d", "\u2800", "\u0300"])(
  "a long text of %j takes time in proportion",
  async (unit) => {
    const cost = (length: number) => () => cpuMsOf(() => harmless(unit.repeat(length / unit.length)))
    expect(await growth(cost(200_000), cost(25_000))).toBeLessThan(GROWTH_MAX)
  }
)

describe("names", () => {
  const accepts = Schema.is(Name)

  test.each(["\u{1d159}", "\u{13441}", "\u{13442}", "\ufffc", "\u2800", "\u3164", "\u115f\u200b", "\u{1d159} \ufffc"])(
    "that show nothing are none: %j",
    (text) => {
      expect([accepts(text), VISIBLE.test(text)]).toEqual([false, false])
    }
  )

  test.each([
    "Admin\u2063",
    "Hub\u200bTeam",
    "Hub\u00ad",
    "\ufeffHub",
    "Hub\u200d",
    "Hub\ufe0f",
    "Hub\u3164",
    "Hub\u{e0061}"
  ])("that would pass for another are none: %j", (text) => {
    expect(accepts(text)).toBe(false)
  })

  test.each(["می‌خواهم", "क्‍ष", "👩‍💻 Ada", "❤️", "葛\u{e0100}", "Ünïcode"])(
    "that need joiners or selectors stay: %s",
    (text) => {
      expect(accepts(text)).toBe(true)
    }
  )
})
