/** The template, and markdown by strangers: escaping by default, and bounds on what a text can cost. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AgentMarkdown } from "../../edge/kit/agent-markdown.ts"
import { html, markup } from "../../edge/kit/html.ts"
import { MARKS } from "./payloads.ts"

const LENGTH_MAX = 100_000
/** Far above what it takes, far below what a text could take that grows by its square. */

describe("a template", () => {
  it("escapes what is put in, and nothing else", () => {
    expect(
      html`<p title="${`"'`}">${"<b>&amp;"} ${1} ${null}${["a", html`<i>${"<"}</i>`, ["&"]]}${markup("<hr>")}</p>`.text
    ).toBe('<p title="&quot;&#39;">&lt;b&gt;&amp;amp; 1 a<i>&lt;</i>&amp;<hr></p>')
  })

  it("does not take an attribute without quotes", () => {
    expect(() => html`<p title=${"x"}></p>`).toThrow("<p title=")
  })

  it("takes any text before another", () => {
    expect(html`<p>${"a="}${markup("<hr>")}</p>`.text).toBe("<p>a=<hr></p>")
    const any = fc.string({ unit: fc.constantFrom("=", '"', "'", "<", "&", " ", "a") })
    fc.assert(
      fc.property(any, any, (one, other) => {
        expect(html`<p>${one}${other}${[one, other]}</p>`.text).toBe(html`<p>${one + other}${one + other}</p>`.text)
      })
    )
  })

  it("lets no text out of its place", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const made = html`<p title="${text}">${text}</p>`.text
        expect(made.replace(/&(amp|lt|gt|quot|#39);/g, "")).toMatch(/^<p title="[^"'<>&]*">[^"'<>&]*<\/p>$/)
      })
    )
  })
})

it("markdown of any marks is rendered", () => {
  const markdown = new AgentMarkdown()
  const text = fc.array(fc.constantFrom(...MARKS), { maxLength: 60 }).map((marks) => marks.join(""))
  fc.assert(
    fc.property(text, (written) => void markdown.render(written)),
    { numRuns: 3000, examples: [["![a=](https://a.example/b=)"]] }
  )
})

const filled = (unit: string): string => unit.repeat(Math.ceil(LENGTH_MAX / unit.length)).slice(0, LENGTH_MAX)
const halves = (first: string, second: string): string =>
  filled(first).slice(0, LENGTH_MAX / 2) + filled(second).slice(0, LENGTH_MAX / 2)
const columns = (count: number): string => `${"|a".repeat(count)}|\n${"|-".repeat(count)}|\n`

/** The slowest and the largest of many that were tried. */
const COSTLY: Readonly<Record<string, string>> = {
  "brackets never closed": filled("["),
  "brackets in brackets": halves("[", "]"),
  "links in links": halves("[", "](https://a.example)"),
  "images never closed": filled("!["),
  "images in images": halves("![", "](https://a.example)"),
  emphasis: filled("*a **b _c "),
  "emphasis between words": filled("a**b"),
  "code never closed": filled("`a``b```c"),
  quotes: filled(">"),
  "quotes of different depth": filled(Array.from({ length: 60 }, (_, depth) => `${">".repeat(depth)} a\n`).join("")),
  "a lazy paragraph in quotes": `${">".repeat(40)}a\n${filled("b\n")}`.slice(0, LENGTH_MAX),
  "lists in lists": filled("- "),
  "loose lists": filled("- a\n\n"),
  "empty items": filled("*\n"),
  "wide tables": (columns(1000) + filled("|\n")).slice(0, LENGTH_MAX),
  "tables of one word": (columns(100) + filled("a\n")).slice(0, LENGTH_MAX),
  "many tables": filled("a|b\n-|-\n"),
  references: `${Array.from({ length: 4000 }, (_, index) => `[a${index}]: b\n`).join("")}\n${filled("[a1]")}`.slice(
    0,
    LENGTH_MAX
  ),
  "references never ended": filled("[a\n"),
  "titles never closed": filled("[a](https://a.example 'b"),
  "addresses with parentheses": `[a](https://a.example/${filled("(")}`.slice(0, LENGTH_MAX),
  entities: filled("&#x"),
  "angle brackets": filled("<a:"),
  "links without a label": filled("[](https://a)"),
  headings: filled("# a\n")
}

describe("markdown of the greatest length", () => {
  it.each(Object.entries(COSTLY))("%s: of bounded size", (_what, text) => {
    expect(text).toHaveLength(LENGTH_MAX)
    const rendered = new AgentMarkdown().render(text).text
    expect(rendered.length).toBeLessThanOrEqual(5 * LENGTH_MAX + 1_000)
  })

  it("is shown as it was written where it would grow too much", () => {
    const text = `[a]: https://a.example/${"x".repeat(900)}\n\n${"[a] ".repeat(900)}`
    expect(new AgentMarkdown().render(text).text).toContain(`<pre dir="auto">${text}</pre>`)
  })
})

describe("all renderings together", () => {
  const text = (name: string): string => `# ${name}\n\n${"*a* ".repeat(2000)}`
  /** On this clock, 400 ms pass from one look at it to the next. */
  const slowly = () => {
    const clock = { ms: 0 }
    const markdown = new AgentMarkdown(() => (clock.ms += 400))
    return { clock, laidOut: (name: string) => markdown.render(text(name)).text.startsWith("<h3") }
  }

  it("have a share of the time, and what was rendered is kept", () => {
    const { clock, laidOut } = slowly()
    expect(["a", "b", "c", "d", "e"].map(laidOut)).toEqual([true, true, true, true, false])
    const before = clock.ms
    expect(["a", "b", "c", "d"].map(laidOut)).toEqual([true, true, true, true])
    expect(clock.ms).toBe(before)
    clock.ms += 5_000
    expect(["f", "g"].map(laidOut)).toEqual([true, false])
  })

  it("never keep a short text from being laid out", () => {
    let ms = 0
    const markdown = new AgentMarkdown(() => (ms += 1_000))
    for (let count = 0; count < 50; count++) markdown.render(text(`long ${count}`))
    expect(markdown.render(text("long again")).text).toMatch(/^<p class="faint">/)
    expect(markdown.render("*short*").text).toBe('<p dir="auto"><em>short</em></p>\n')
  })
})
