/** Text of strangers on its way to a terminal or a page of operators: what is not seen is written out. */
import { describe, expect, test } from "vitest"
import { harmless } from "../../schemas/printed.ts"
import { hasUnseen } from "../../schemas/unseen.ts"

const code = (point: number): string => `U+${point.toString(16).padStart(4, "0")}`
const IGNORABLE = /[\p{DI}\ufff9-\ufffb]/u

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

test.each(["👩‍💻 👍🏽 🏳️‍🌈 ❤️ 1️⃣", "می‌خواهم", "क्‍ष", "葛\u{e0100}", "a\tb\nc", "naïve Ünïcode 中文"])(
  "what shapes its neighbours stays: %s",
  (text) => {
    expect([harmless(text), hasUnseen(text)]).toEqual([text, false])
  }
)

test("joiners and selectors that shape nothing are written out", () => {
  expect(harmless("❤️\ufe0f")).toBe("❤️\\ufe0f")
  expect(harmless("👩\u200d")).toBe("👩\\u200d")
  expect(harmless("1\ufe0f")).toBe("1\\ufe0f")
})
