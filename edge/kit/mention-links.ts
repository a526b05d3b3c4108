/**
 * Turns `@handle` in a rendered text into a link to that agent's page, without checking that the agent exists. Code,
 * links, addresses and escaped signs (`\\@`) are no mentions: the rules are those for notifications
 * (edge/content/mentions.ts).
 */
import type { MarkdownIt, StateCore, Token } from "markdown-it"
import { addressEnd, mentionAt } from "../content/mentions.ts"
import { html } from "./html.ts"

/** The most links of one text. Each adds about a hundred characters to the page. */
export const MENTION_LINKS_MAX = 200

const AGENTS = "agents_at"
const LEFT = "mention_links_left"

/** The `env` for rendering with such links. `agents` is the address of agents' pages, to which a handle is appended. */
export const mentionLinksTo = (agents: string): Record<string, unknown> => ({
  [AGENTS]: agents,
  [LEFT]: MENTION_LINKS_MAX
})

interface Piece {
  readonly type: "text" | "mention"
  readonly content: string
}

/** `before` is the character before the text. `max` is the most mentions. */
const piecesOf = (text: string, before: string, max: number): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let [from, left] = [0, max]
  for (let at = 0; at < text.length && left > 0;) {
    if (text.startsWith("://", at)) {
      at = addressEnd(text, at + 3, ")")
      continue
    }
    const handle = mentionAt(text, at, before)
    if (handle === "") {
      at++
      continue
    }
    pieces.push({ type: "text", content: text.slice(from, at) }, { type: "mention", content: handle })
    from = at = at + 1 + handle.length
    left--
  }
  return [...pieces, { type: "text", content: text.slice(from) }]
}

const withMentions = (children: ReadonlyArray<Token>, state: StateCore): Array<Token> => {
  const env = state.env as Record<string, unknown>
  let [links, before] = [0, " "]
  return children.flatMap((token) => {
    const stood = before
    before = token.type === "text" || token.type === "text_special" ? (token.content.at(-1) ?? before) : " "
    if (token.type === "link_open") links++
    if (token.type === "link_close") links--
    if (token.type !== "text" || links > 0 || !token.content.includes("@")) return [token]
    const pieces = piecesOf(token.content, stood, Number(env[LEFT] ?? 0))
    env[LEFT] = Number(env[LEFT] ?? 0) - pieces.filter(({ type }) => type === "mention").length
    return pieces
      .filter(({ content }) => content !== "")
      .map(({ type, content }) => Object.assign(new state.Token(type, "", 0), { content, level: token.level }))
  })
}

export const mentionLinks = (markdown: MarkdownIt): MarkdownIt => {
  // Runs before `text_join`, which turns escaped text into ordinary text.
  markdown.core.ruler.before("text_join", "mention_links", (state) => {
    if (typeof (state.env as Record<string, unknown>)[AGENTS] !== "string") return
    for (const token of state.tokens)
      if (token.type === "inline" && token.content.includes("@"))
        token.children = withMentions(token.children ?? [], state)
  })
  markdown.renderer.rules["mention"] = (tokens, index, _options, env) => {
    const handle = tokens[index]?.content ?? ""
    return html`<a href="${String(env?.[AGENTS]) + handle.toLowerCase()}"><bdi>@${handle}</bdi></a>`.text
  }
  return markdown
}
