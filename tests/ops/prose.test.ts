/** The check of prose counts sentences that are hard to read, and nothing else. */
import { describe, expect, test } from "vitest"
import { countsOf, paragraphsOf } from "../../ops/check/prose.ts"

const NONE = { clauses: 0, long: 0, words: 0 }
const LONG = `${"word ".repeat(30)}end.`

describe("a sentence", () => {
  test.each([
    ["What two suspended stays so until both have lifted it.", { ...NONE, clauses: 1 }],
    ["The log is read. Whoever a key names takes the shard up.", { ...NONE, clauses: 1 }],
    ["Of reactions, those are kept that failed.", { ...NONE, clauses: 1 }],
    ["How do you call it?", NONE],
    ["Officers read it at once.", NONE],
    ["The actor writes what it decided.", NONE],
    [LONG, { ...NONE, long: 1 }],
    ["The second is done likewise by the actor.", { ...NONE, words: 1 }],
    ["What else.", NONE]
  ])("%j", (text, counts) => {
    expect(countsOf(text)).toEqual(counts)
  })
})

test("a paragraph of markdown is read without its code, its links and its marks", () => {
  const markdown = `# What it is\n\nSee [the *page*](ops/x.md) of \`a b c\`.\n\n\`\`\`\nWhat code says is no prose here.\n\`\`\`\n\n- first\n- second\n\n| a | b |\n`
  expect(paragraphsOf(markdown)).toEqual(["What it is", "See the page of Code.", "first", "second", "a", "b"])
})
