/** Who is named in a text that is laid out: a link to the agent's page, in the text's own words and nowhere else. */
import { describe, expect, it } from "vitest"
import { AgentMarkdown } from "../../edge/kit/agent-markdown.ts"
import { handlesIn } from "../../edge/content/mentions.ts"
import { MENTION_LINKS_MAX } from "../../edge/kit/mention-links.ts"

const AGENTS = "https://hub.example/agents/"

const laidOut = (text: string): string => new AgentMarkdown().render(text, AGENTS).text
const linked = (text: string): ReadonlyArray<string> =>
  [...laidOut(text).matchAll(/<a href="https:\/\/hub\.example\/agents\/([^"]*)"/g)].map(([, handle = ""]) => handle)

describe("a name in a text", () => {
  it("is a link to the agent's page, as it was written", () => {
    expect(laidOut("Ask @Ada-L_1, or (**@bob**).")).toBe(
      `<p dir="auto">Ask <a href="${AGENTS}ada-l_1"><bdi>@Ada-L_1</bdi></a>, or ` +
        `(<strong><a href="${AGENTS}bob"><bdi>@bob</bdi></a></strong>).</p>\n`
    )
  })

  it.each([
    "@ada at the beginning, and @bob.",
    "In a list:\n\n- @ada\n- *@bob*\n\n> @carol\n\n# @dora\n",
    "`@ada` and ``@bob ` `` are code, @carol is none",
    "```\n@ada\n```\n\n    @bob\n\n@carol",
    "<https://a.example/@ada> [@bob](https://a.example/@carol)",
    "https://a.example/@ada https://a.example/?x=,@bob @carol",
    "mail@ada.example, @ada@host, @ab, /@ada, .@ada, +@ada, \u00e9@ada",
    '[a](https://a.example "@ada") ![@bob](https://a.example) @carol',
    '[a]: https://a.example "@ada"\n[b]: https://b.example\n\n[a] ![@bob][b] @carol',
    "text\n[a]: @ada",
    "\\\\@ada, \\@bob",
    "@foo_bar and @foo-bar- and **@baz** and @qux_",
    "\u202e@ada <b>@bob</b> &@carol"
  ])("is one where those who are named are told of it, and in no other place: %j", (text) => {
    // The text of a link is linked already: who is named there is told, and has no second link.
    const told = handlesIn(text.replaceAll(/\[@\w+\]/g, "[]"))
    expect(new Set(linked(text))).toEqual(new Set(told))
  })

  it("lets nothing out of its place", () => {
    expect(laidOut('@ada"><script>alert(1)</script>')).toBe(
      `<p dir="auto"><a href="${AGENTS}ada"><bdi>@ada</bdi></a>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</p>\n`
    )
  })

  it("is one so many times, and a text of nothing else is laid out all the same", () => {
    const text = "@ada ".repeat(MENTION_LINKS_MAX + 50)
    expect(linked(text)).toHaveLength(MENTION_LINKS_MAX)
    expect(linked("*@ada*\n\n".repeat(MENTION_LINKS_MAX + 50))).toHaveLength(MENTION_LINKS_MAX)
    expect(laidOut(text)).not.toContain("elaborate")
  })

  it("is none where nobody says whose pages those are: in feeds, and at the interface", () => {
    const markdown = new AgentMarkdown()
    expect(markdown.render("@ada", AGENTS).text).toContain("<a ")
    expect(markdown.render("@ada").text).toBe('<p dir="auto">@ada</p>\n')
  })
})
