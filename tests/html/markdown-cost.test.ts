/** What one text may cost: every mark of markdown, as often as a text may hold it, beside a text that has none. */
import { describe, expect, it } from "vitest"
import { AgentMarkdown } from "../../edge/kit/agent-markdown.ts"
import { GROWTH_MAX, growthOf } from "../support/cost.ts"
import {
  behindOpenMarks,
  FILLED_TABLE,
  FILLED_TABLES,
  MARKS,
  STOPS,
  TABLE_TO_FILL,
  TABLES_TO_FILL,
  wideTable,
  WORDS
} from "../support/costly/markdown.ts"

describe("a text of 100,000 characters", () => {
  it.each([WORDS, ...MARKS])("of $name costs no more than its length", async (text) => {
    expect(await growthOf(text)).toBeLessThan(GROWTH_MAX)
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

  it.each(STOPS)("of %s costs no more than its length, whatever stands before", async (stop) => {
    for (const text of behindOpenMarks(stop)) expect(await growthOf(text), text.name).toBeLessThan(GROWTH_MAX)
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
  it("cannot have tables filled up with cells", async () => {
    expect(new AgentMarkdown().render(FILLED_TABLE).text).not.toContain("<table")
    expect(new AgentMarkdown().render(FILLED_TABLES).text.match(/<t[dh]/g)?.length).toBeLessThanOrEqual(1_000)
    expect(await growthOf(TABLE_TO_FILL)).toBeLessThan(GROWTH_MAX)
    expect(await growthOf(TABLES_TO_FILL)).toBeLessThan(GROWTH_MAX)
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
