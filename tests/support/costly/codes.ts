/** Mail messages that are most costly to search for codes and links. */
import { findIn } from "../../../actors/mail/codes/find.ts"
import type { Costly } from "../cost.ts"

const FULL = 256 * 1024

const filled = (chars: number, part: string): string => part.repeat(Math.ceil(chars / part.length)).slice(0, chars)

const PARTS: ReadonlyArray<string> = [
  "7",
  "48291 ",
  "482913 771204 ",
  "4 ",
  "4-",
  "K7Q2-",
  "code ",
  "code 482913 ",
  "verification code order number ",
  "Bestätigungscode",
  "验证码",
  "验证码482913，",
  "验证码订单号",
  "<a href=",
  '<a href="https://a.example/x">',
  '<a href="https://a.example/?q=1">confirm</a>',
  "<div>",
  "<b>",
  "<i></b>",
  "<td>4",
  "<p>4</p>",
  "</p>",
  "<",
  "&",
  "&amp;4",
  "<!--",
  "<style>.a{color:red}</style>",
  '<p class="a b c d" style="color:red;display:block">4829</p>',
  "<pre>\n\n4829",
  "https://",
  "https://a.example/( ",
  "https://a.example/1 ",
  "a@",
  "a/",
  "a.b/",
  "((((",
  ")))).",
  "!!!!",
  ". 4829",
  "\u200b",
  "é",
  "\u0301\u0316",
  "\uff9e\u0301",
  "@example.com #123456\n",
  "\n",
  "4829\n",
  "code:\n4829\n",
  "<b>code 4829</b> "
]

/** Messages with the same part repeated in subject, text and HTML. */
export const MESSAGES: ReadonlyArray<Costly> = PARTS.map((part) => ({
  name: JSON.stringify(part),
  length: FULL,
  prepare: (length) => {
    const text = filled(length, part)
    return () => findIn({ from: "a@b.example", subject: text, text, html: text })
  }
}))

/** HTML with this depth of nested elements. */
export const deep = (depth: number): string =>
  `${"<div>".repeat(depth)}<p>Your code is 482913</p>${"</div>".repeat(depth)}`

export const NESTED: Costly = {
  name: "nested elements",
  length: 100_000,
  prepare: (length) => {
    const html = deep(length)
    return () => findIn({ from: "", subject: "", text: "", html })
  }
}
