/** Splits markdown like a reader: front matter, code fences, and the text outside of them. */
import Markdown, { type Token } from "markdown-it"
import { parse } from "yaml"

interface Fence {
  readonly info: string
  readonly content: string
}

export interface Read {
  readonly front: unknown
  readonly fences: ReadonlyArray<Fence>
  /** The text outside of front matter and fences. */
  readonly outside: string
  /** The HTML tags, links, images and headings that a parser finds. */
  readonly links: ReadonlyArray<string>
  readonly headings: ReadonlyArray<string>
}

const FRONT = /^---\n([\s\S]*?)\n---\n/

const everything = new Markdown({ html: true, linkify: true })

const partsOf = (token: Token): ReadonlyArray<string> => [
  String(token.content),
  String(token.info),
  ...(token.attrs ?? []).map(([, value]) => String(value)),
  ...(token.children ?? []).flatMap(partsOf)
]

const within = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> =>
  tokens.flatMap((token) => [token, ...within(token.children ?? [])])

export const readMarkdown = (text: string): Read => {
  const [whole = "", front = ""] = FRONT.exec(text) ?? []
  const tokens = everything.parse(text.slice(whole.length), {})
  const others = tokens.filter(({ type }) => type !== "fence")
  return {
    front: parse(front),
    fences: tokens.filter(({ type }) => type === "fence").map(({ info, content }) => ({ info, content })),
    outside: others.flatMap(partsOf).join("\n"),
    links: within(others)
      .filter(({ type }) => /^(link_open|image|html_block|html_inline)$/.test(type))
      .map((token) => String(token.attrGet("href") ?? token.attrGet("src") ?? token.content)),
    headings: tokens.flatMap(({ type }, index) => (type === "heading_open" ? [tokens[index + 1]?.content ?? ""] : []))
  }
}
