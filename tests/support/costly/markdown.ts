/**
 * Texts of 100,000 characters that are most costly to render as markdown: each mark as often as a text may contain it.
 */
import { AgentMarkdown } from "../../../edge/kit/agent-markdown.ts"
import type { Costly } from "../cost.ts"

export const LENGTH = 100_000

export const repeated = (part: string, before = "", length = LENGTH): string =>
  (before + part.repeat(length)).slice(0, length)

export const wideTable = (columns: number): string => `|${"a|".repeat(columns)}\n|${"-|".repeat(columns)}\n`

const textOf = (name: string, part: string, before = ""): Costly => ({
  name,
  length: LENGTH,
  prepare: (length) => {
    const text = repeated(part, before, length)
    return () => new AgentMarkdown().render(text)
  }
})

export const WORDS: Costly = textOf("words", "lorem ipsum dolor sit amet ")

export const MARKS: ReadonlyArray<Costly> = [
  textOf("brackets", "["),
  textOf("images that never end", "![["),
  textOf("links", "[a](http://b) "),
  textOf("images", "![a](http://b) "),
  textOf("a long table", "|x|y|\n", "|a|b|\n|-|-|\n"),
  textOf("rows of one cell", "a\n", "|a|\n|-|\n"),
  textOf("emphasis", "*a_ "),
  textOf("open emphasis and links", "*[a"),
  textOf("a list", "- a\n"),
  textOf("a numbered list", "1. a\n"),
  textOf("headings", "# a\n"),
  textOf("quotes with lists", "> - a\n"),
  textOf("lines", "a\n"),
  textOf("paragraphs", "a\n\n"),
  textOf("references", "[a] ", "[a]: http://b\n\n"),
  textOf("references to a long address", "[a] ", `[a]: https://a.example/${"x".repeat(1_900)}\n\n`),
  textOf("definitions", "[a]: http://b\n"),
  textOf("addresses", "<http://a.b> "),
  textOf("code", "`a"),
  textOf("entities", "&amp;"),
  textOf("underlines", "a\n===\n"),
  textOf("stops behind open images", "$", "![".repeat(40)),
  textOf("stops behind open links in images", "{}", "[![".repeat(60)),
  textOf("open images with stops between", `![${"^".repeat(98)}`),
  textOf("rows that are filled up", "|\n", wideTable(50)),
  textOf("rows that are filled up to 200 cells", "a\n", wideTable(200)),
  textOf("many tables", `${wideTable(50)}${"|\n".repeat(10)}\n`),
  textOf("links to hosts of costly letters", `[a](http://${"\ufdfa".repeat(60)}) `)
]

export const STOPS = ["$", "%", "+", "-", ":", "=", "@", "^", "{", "}"] as const

export const behindOpenMarks = (stop: string): ReadonlyArray<Costly> =>
  ["[", "*", "`", "<"].map((open) => textOf(`${stop} behind 500 times ${open}`, stop, open.repeat(500)))

const SHORT_CHARS = 4_000

const short = (text: string): string => text.slice(0, SHORT_CHARS)

export const FILLED_TABLE = short(wideTable(50) + "|\n".repeat(3_000))
export const FILLED_TABLES = short(`${wideTable(50)}${"|\n".repeat(8)}\n`.repeat(20))

const ofText = (name: string, text: string): Costly => ({
  name,
  length: text.length,
  prepare: (length) => {
    const part = text.slice(0, length)
    return () => new AgentMarkdown().render(part)
  }
})

export const TABLE_TO_FILL = ofText("a short text with a table to be filled up", FILLED_TABLE)
export const TABLES_TO_FILL = ofText("a short text with many tables to be filled up", FILLED_TABLES)

/** All texts that block a renderer for long. */
export const MARKDOWN: ReadonlyArray<Costly> = [
  ...MARKS,
  ...STOPS.flatMap(behindOpenMarks),
  TABLE_TO_FILL,
  TABLES_TO_FILL
]
