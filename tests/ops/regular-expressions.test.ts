/** The check of regular expressions: what it finds in a text, and what it says of what it found. */
import { describe, expect, it } from "vitest"
import { judge, regularExpressionsIn } from "../../ops/check/regular-expressions.ts"

const patternsOf = (text: string) =>
  regularExpressionsIn("x.ts", text).map(({ pattern, flags, line }) => [pattern, flags, line])

describe("regular expressions of a source", () => {
  it("are found as literals and as calls, with their lines", () => {
    expect(
      patternsOf(
        'const a: RegExp = /a+/g\nconst f = (x: string) => x.replace(/b/u, "") as string\nnew RegExp("c*", "i")\nRegExp("d")'
      )
    ).toEqual([
      ["a+", "g", 1],
      ["b", "u", 2],
      ["c*", "i", 3],
      ["d", "", 4]
    ])
  })

  it("are not looked for in texts, comments and divisions", () => {
    expect(patternsOf('// /a+/\nconst a = "/b+/"\nconst c = 4 / 2 / 1\nconst d = `/e+/`')).toEqual([])
  })

  it("that are put together when they run are found as such", () => {
    expect(patternsOf("new RegExp(`a${b}`)\nnew RegExp(name, flags)")).toEqual([
      [null, "", 1],
      [null, "", 2]
    ])
  })
})

describe("a regular expression", () => {
  const judged = (pattern: string | null) => judge({ file: "x.ts", line: 1, pattern, flags: "" })

  it.each(["^(a+)+$", "^[ \\t]*\\r?\\n[ \\t]+|[ \\t]*\\r?\\n[ \\t]+", "/+$", "^a*a*b"])(
    "that some text makes slow is a finding: %s",
    async (pattern) => {
      expect(await judged(pattern)).toMatch(/polynomial|exponential/)
    }
  )

  it.each(["^[a-z]+$", "^https?://[^/]+/", ":[0-9]+$"])("that none makes slow is none: %s", async (pattern) => {
    expect(await judged(pattern)).toBeNull()
  })

  it("that nobody can judge is a finding", async () => {
    expect(await judged(null)).toMatch(/put together/)
  })
})
