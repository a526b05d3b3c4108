/** Unicode finds the order of many marks on one letter in quadratic time, so a stranger's text goes through `normalForm`. */
import { expect, it } from "vitest"
import { normalForm } from "../../schemas/legible.ts"
import { wordsOf } from "../../schemas/mail/words.ts"
import { type Costly, GROWTH_MAX, growthOf } from "../support/cost.ts"
import { textOf, trackedFiles } from "./tracked.ts"

/** Files that normalize by themselves: each bounds the length first, to a few hundred characters. */
const BOUNDED: ReadonlyArray<string> = [
  "actors/content/searched.ts",
  "actors/content/words.ts",
  "actors/registration/questions/grade.ts",
  "edge/human/password-hash.ts",
  "edge/human/password-text.ts",
  "edge/mail-domain/names.ts",
  "schemas/human/password.ts",
  "schemas/legible.ts"
]

it("no other file normalizes text by itself", () => {
  const files = trackedFiles().filter((file) => /^(actors|edge|schemas)\/.*(?<!bundle)\.[jt]s$/.test(file))
  expect(files.filter((file) => /(?<!posix)\.normalize\(/.test(textOf(file)))).toEqual(BOUNDED)
})

const LENGTH = 100_000
const marks = (pair: string, length: number): string => `a${pair.repeat(length / 2)}`

it.each([
  ["\u0301\u0316", "NFC"],
  ["\u0301\u0316", "NFKD"],
  ["\uff9e\u0301", "NFKC"],
  ["\uff9e\u0301", "NFKD"]
] as const)("marks on one letter take linear time: %j in %s", async (pair, form) => {
  const text: Costly = {
    name: form,
    length: LENGTH,
    prepare: (length) => {
      const whole = marks(pair, length)
      return () => normalForm(whole, form)
    }
  }
  expect(await growthOf(text)).toBeLessThan(GROWTH_MAX)
})

it("the searched words of mail take linear time", async () => {
  const prepare = (length: number) => {
    const text = marks("\u0301\u0316", length)
    return () => wordsOf(text, 300)
  }
  expect(await growthOf({ name: "words", length: LENGTH, prepare })).toBeLessThan(GROWTH_MAX)
})

it("what people write stays as it is", () => {
  expect(normalForm("n\u0303a\u0301 ﾊﾞﾅﾅ", "NFC")).toBe("ñá ﾊﾞﾅﾅ")
  expect(normalForm("ﾊﾞﾅﾅ", "NFKC")).toBe("バナナ")
})
