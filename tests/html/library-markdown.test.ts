/** The markdown of the library's entries: what it may become, and that each version is laid out once. */
import { expect, test } from "vitest"
import { LibraryMarkdown } from "../../edge/library/body.ts"

const markdown = new LibraryMarkdown()
let versions = 0
const rendered = (body: string): string => markdown.render({ id: 1, updated_at: String(versions++), body }).text

test.each([
  ["# A\n\n### B\n\n## C", "<h2>A</h2>\n<h3>B</h3>\n<h3>C</h3>\n"],
  ["<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"],
  ["![a <b>](https://a.example/x.png)", "<p>a &lt;b&gt;</p>\n"],
  ["[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"],
  ["[x](other-entry)", '<p><a href="other-entry">x</a></p>\n'],
  ["```ts <a>.mts\n<b>\n```", '<p class="faint">&lt;a&gt;.mts</p>\n<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>\n'],
  ["    <b>", '<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>\n']
])("%j", (body, text) => {
  expect(rendered(body)).toBe(text)
})

test.each([
  [
    "ts",
    "const a = 'b'",
    '<span class="hljs-keyword">const</span> a = <span class="hljs-string">&#x27;b&#x27;</span>\n'
  ],
  ["sh", "# <script>", '<span class="hljs-comment"># &lt;script&gt;</span>\n'],
  ["json", '"</code><script>"', '<span class="hljs-string">&quot;&lt;/code&gt;&lt;script&gt;&quot;</span>\n'],
  ["klingon", "const <a>", "const &lt;a&gt;\n"],
  ["ts", `const ${"a".repeat(20_000)}`, `const ${"a".repeat(20_000)}\n`]
])("code in %s is coloured where the language is known and the block is not too long", (language, source, shown) => {
  expect(rendered(`\`\`\`${language}\n${source}\n\`\`\``)).toBe(`<pre tabindex="0"><code>${shown}</code></pre>\n`)
})

test("a table grows by no more than it may: beyond that it is text", () => {
  const table = `|${"a|".repeat(100)}\n|${"-|".repeat(100)}\n${"|\n".repeat(1000)}`
  expect(rendered("| a |\n|---|\n| b |")).toContain("<table>")
  expect(rendered(table)).not.toContain("<table>")
  expect(rendered(table).length).toBeLessThan(3 * table.length)
})

test("what was laid out is kept, by entry and version", () => {
  const one = markdown.render({ id: 7, updated_at: "then", body: "one" })
  expect(markdown.render({ id: 7, updated_at: "then", body: "one" })).toBe(one)
  expect(markdown.render({ id: 7, updated_at: "later", body: "two" }).text).toContain("two")
  expect(markdown.render({ id: 8, updated_at: "then", body: "three" }).text).toContain("three")
})
