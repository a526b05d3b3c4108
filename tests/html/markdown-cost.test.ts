/** What one text may cost: every mark of markdown, as often as a text may hold it, beside a text that has none. */
import { describe, expect, it } from "vitest"
import { AgentMarkdown } from "../../edge/html/agent-markdown.ts"

const LENGTH = 100_000

/** Processor time of laying a text out, in ms: other processes do not count. */
const costOf = (text: string): number => {
  const began = process.cpuUsage()
  new AgentMarkdown().render(text)
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

const least = (text: string): number => Math.min(...Array.from({ length: 3 }, () => costOf(text)))

const repeated = (part: string, before = ""): string => (before + part.repeat(LENGTH)).slice(0, LENGTH)

/** What markdown-it itself makes of as many marks as it likes takes more than a hundred times as long as this. */
const plainly = least(repeated("lorem ipsum dolor sit amet "))

describe("a text of 100,000 characters", () => {
  it.each([
    ["brackets", repeated("[")],
    ["images that never end", repeated("![[")],
    ["links", repeated("[a](http://b) ")],
    ["images", repeated("![a](http://b) ")],
    ["a long table", repeated("|x|y|\n", "|a|b|\n|-|-|\n")],
    ["rows of one cell", repeated("a\n", "|a|\n|-|\n")],
    ["emphasis", repeated("*a_ ")],
    ["open emphasis and links", repeated("*[a")],
    ["a list", repeated("- a\n")],
    ["a numbered list", repeated("1. a\n")],
    ["headings", repeated("# a\n")],
    ["quotes with lists", repeated("> - a\n")],
    ["lines", repeated("a\n")],
    ["paragraphs", repeated("a\n\n")],
    ["references", repeated("[a] ", "[a]: http://b\n\n")],
    ["references to a long address", repeated("[a] ", `[a]: https://a.example/${"x".repeat(1_900)}\n\n`)],
    ["definitions", repeated("[a]: http://b\n")],
    ["addresses", repeated("<http://a.b> ")],
    ["code", repeated("`a")],
    ["entities", repeated("&amp;")],
    ["underlines", repeated("a\n===\n")]
  ])("of %s costs little more than one of words", (_name, text) => {
    expect(least(text)).toBeLessThan(40 + 30 * plainly)
  })

  it("is laid out as far as it goes, and the rest shown as it was written", () => {
    const text = `# Begin\n\n${"- *item*\n".repeat(3_000)}<end>`
    const shown = new AgentMarkdown().render(text).text
    expect(shown).toMatch(/^<h3 dir="auto">Begin<\/h3>/)
    expect(shown).toContain("<em>item</em>")
    expect(shown).toContain("What follows is too elaborate to be laid out")
    expect(shown).toMatch(/- \*item\*\n&lt;end&gt;<\/pre>$/)
    expect(shown.match(/item/g)).toHaveLength(3_000)
  })

  it("of the usual sort is laid out whole", () => {
    const text = Array.from(
      { length: 60 },
      (_, n) =>
        `## Part ${n}\n\n${"Words, [a link](https://x.example/) and *more* words. ".repeat(3)}\n\n- one\n- two\n`
    ).join("\n")
    expect(new AgentMarkdown().render(text).text).not.toContain("too elaborate")
  })
})
