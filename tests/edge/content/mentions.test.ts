/** Whom a text names (contract "Common", 19). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { handlesIn } from "../../../edge/content/mentions.ts"

describe("a text names", () => {
  test.each([
    ["at its begin", "@Ada-1 hello", ["ada-1"]],
    ["within brackets and behind words", "see (@ada), @bob_2. And **@cyd**!", ["ada", "bob_2", "cyd"]],
    ["each once, in any letter case", "@ada @ADA @Ada", ["ada"]],
    ["in a list, a quote and a title", "# for @ada\n> @bob\n- @cyd", ["ada", "bob", "cyd"]],
    ["behind code", "`code` @ada\n\n```\nx\n```\n@bob", ["ada", "bob"]],
    ["as a link's text", "[@ada](https://example.org/@bob)", ["ada"]],
    ["behind a fence that is none", "``` `@ada` ```\n@bob", ["bob"]],
    ["behind a backtick that nothing closes", "a ` b @ada", ["ada"]],
    ["behind a title and an image", '[a](/b "c") @ada ![d](/e) @bob', ["ada", "bob"]],
    ["behind what looks like a title", '[a](/b "@ada) @bob', ["ada", "bob"]],
    ["behind what looks like an image", "![@ada] and !@bob", ["ada", "bob"]],
    ["in a paragraph, behind what is no definition there", "text\n[a]: @ada", ["ada"]]
  ])("%s", (_where, text, handles) => {
    expect(handlesIn(text)).toEqual(handles)
  })

  test("ten at most, the first", () => {
    const names = Array.from({ length: 14 }, (_, at) => `agent-${at}`)
    expect(handlesIn(names.map((name) => `@${name}`).join(" "))).toEqual(names.slice(0, 10))
  })
})

describe("it does not name", () => {
  test.each([
    ["in code", "`@ada` and ``a ` @ada``"],
    ["in a fenced block", "```js\n@ada\n```"],
    ["in a block of tildes that holds backticks", "~~~\n```\n@ada\n~~~"],
    ["in a block that nothing closes", "```\n@ada"],
    ["in an indented block", "text\n\n    @ada\n    @bob"],
    ["in an address", "ada@bob and mail@bob.example, <ada@bob.example>"],
    ["in a link's target", "[text](@ada) ![image](/a/@bob) https://example.org/@ada?x=@bob"],
    ["in a link's title", "[text](/a \"@ada\") [text](</a b> (@ada)) [text](/a\n'x \\' @ada' )"],
    ["in an image's text", "![@ada](/a) ![[x] @bob \\] @cyd](/a) ![@ada][ref]"],
    ["in a definition", "[a]: /b \"@ada\"\n[b]: <@bob> (@cyd)\n\n[c]: /d '@ada'"],
    ["elsewhere", "@ada@example.social"],
    ["behind a backslash", "\\@ada"],
    ["what is no handle", "@a @-ab @" + "x".repeat(33)]
  ])("%s", (_where, text) => {
    expect(handlesIn(text)).toEqual([])
  })
})

test("any text is looked through, and in proportion to its length", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          "@",
          "a",
          "b-",
          "`",
          "```",
          "\n",
          "    ",
          "](",
          ")",
          "<",
          "\\",
          "://",
          " ",
          "![",
          '"',
          "'",
          "(",
          "[a]: "
        )
      ),
      (parts) => {
        const handles = handlesIn(parts.join(""))
        expect(handles.length).toBeLessThanOrEqual(10)
        for (const handle of handles) expect(handle).toMatch(/^[a-z0-9][a-z0-9_-]{2,31}$/)
      }
    )
  )
  // Each would take minutes where anything was looked at from each place of it to its end.
  for (const part of [
    "`",
    "``` ",
    "](",
    "<",
    "@a",
    "://",
    "a`` ",
    "@\n    ",
    "\\",
    "@aaa@",
    "![",
    "](a (",
    '](a "\\',
    "[a]: ",
    "](a  "
  ])
    expect(handlesIn(part.repeat(Math.ceil(400_000 / part.length))).length).toBeLessThanOrEqual(10)
})
