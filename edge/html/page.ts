/** A document as a page for humans: static, without scripts, readable by any browser and reader. */
import MarkdownIt from "markdown-it"
import { type Document, documentOf } from "../http/documents.ts"

/** Raw HTML in the source is shown as text. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false })

const escape = markdown.utils.escapeHtml

const STYLE = `
:root { color-scheme: light dark; --text: #1b1b1f; --ground: #fdfdfc; --faint: #6a6a72; --line: #d9d9de; --code: #f1f1ee; --link: #1a4fa3 }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e8; --ground: #17171a; --faint: #a0a0a8; --line: #38383e; --code: #222227; --link: #8db4f5 } }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif }
main { max-width: 50rem; margin: 0 auto; padding: 2rem 1.25rem 4rem }
h1, h2, h3 { line-height: 1.25; margin: 2.2em 0 .6em } h1 { margin-top: 0 }
a { color: var(--link) } a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; background: var(--code); border-radius: .25rem }
code { padding: .1em .3em } pre { padding: 1em; overflow-x: auto } pre code { padding: 0; background: none }
.wide { overflow-x: auto } table { border-collapse: collapse } th, td { border: 1px solid var(--line); padding: .35em .7em; text-align: left; vertical-align: top }
`

/** Scrolling regions must be reachable by keyboard, tables must not widen the page. */
const accessible = (html: string): string =>
  html.replaceAll("<pre>", '<pre tabindex="0">').replaceAll("<table>", '<div class="wide" tabindex="0"><table>').replaceAll("</table>", "</table></div>")

export const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer"
}

export const pageOfMarkdown = (title: string, source: string): Document =>
  documentOf(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${accessible(markdown.render(source))}</main>
</body>
</html>
`,
    "text/html; charset=utf-8",
    pageHeaders
  )
