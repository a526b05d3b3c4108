/** What one text may cost: every mark of markdown, as often as a text may hold it, beside a text that has none. */
import { describe, expect, it } from "vitest"
import { AgentMarkdown } from "../../edge/html/agent-markdown.ts"

const LENGTH = 100_000
/** The edge's one thread may be held up by a text for this long at most (contract 21). */
const STALL_MAX_MS = 50

/** Processor time of laying a text out, in ms: other processes do not count. */
const costOf = (text: string): number => {
  const began = process.cpuUsage()
  new AgentMarkdown().render(text)
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

const least = (text: string): number => Math.min(...Array.from({ length: 3 }, () => costOf(text)))

const wideTable = (columns: number): string => `|${"a|".repeat(columns)}\n|${"-|".repeat(columns)}\n`

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
    ["underlines", repeated("a\n===\n")],
    ["stops behind open images", repeated("$", "![".repeat(40))],
    ["stops behind open links in images", repeated("{}", "[![".repeat(60))],
    ["open images with stops between", repeated(`![${"^".repeat(98)}`)],
    ["rows that are filled up", repeated("|\n", wideTable(50))],
    ["rows that are filled up to 200 cells", repeated("a\n", wideTable(200))],
    ["many tables", repeated(`${wideTable(50)}${"|\n".repeat(10)}\n`)],
    ["links to hosts of costly letters", repeated(`[a](http://${"\ufdfa".repeat(60)}) `)]
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

  it.each(["$", "%", "+", "-", ":", "=", "@", "^", "{", "}"])("of %s costs little, whatever stands before", (stop) => {
    for (const before of ["[".repeat(500), "*".repeat(500), "`".repeat(500), "<".repeat(500)])
      expect(least(repeated(stop, before))).toBeLessThan(40 + 30 * plainly)
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

describe("a text of 4,000 characters", () => {
  const short = (text: string): string => text.slice(0, 4_000)

  it("cannot have tables filled up with cells", () => {
    const text = short(wideTable(50) + "|\n".repeat(3_000))
    expect(new AgentMarkdown().render(text).text).not.toContain("<table")
    expect(least(text)).toBeLessThan(STALL_MAX_MS)
    const many = short(`${wideTable(50)}${"|\n".repeat(8)}\n`.repeat(20))
    expect(new AgentMarkdown().render(many).text.match(/<t[dh]/g)?.length).toBeLessThanOrEqual(1_000)
    expect(least(many)).toBeLessThan(STALL_MAX_MS)
  })

  it("has its tables up to a thousand cells", () => {
    const table = `|a|b|\n|-|-|\n${"|1|2|\n".repeat(300)}`
    expect(new AgentMarkdown().render(`${table}\nAfter.\n\n${table.slice(0, 40)}`).text.match(/<table/g)).toHaveLength(
      2
    )
    expect(
      new AgentMarkdown().render(`> ${wideTable(3).replace("\n", "\n> ")}> |1|\n`).text.match(/<td/g)
    ).toHaveLength(3)
  })

  it("has no more of the edge's time than its part", () => {
    let now = 0
    const markdown = new AgentMarkdown(() => now++ * 250)
    const shown = Array.from({ length: 20 }, (_, n) => markdown.render(`*text* ${n}`).text)
    expect(shown.filter((text) => text.includes("<em>")).length).toBeLessThan(10)
    expect(shown.at(-1)).toContain("at the moment")
  })
})

it("what blows up is tried once", () => {
  let reads = 0
  const markdown = new AgentMarkdown(() => {
    reads++
    return 0
  })
  const text = '"'.repeat(100_000)
  expect(markdown.render(text).text).toContain("Too elaborate to be laid out;")
  const once = reads
  // More others than renderings are kept.
  for (let n = 0; n < 40; n++) markdown.render(`a ${n}`)
  reads = 0
  expect(markdown.render(text).text).toContain("Too elaborate to be laid out;")
  expect([once > 2, reads]).toEqual([true, 0])
})
