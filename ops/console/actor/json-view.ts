/**
 * Shows a state as JSON, line by line, and marks the differences from the state before. The input is already masked.
 */
import { html, type Html } from "../../../edge/kit/html.ts"
import { harmless } from "../../../schemas/printed.ts"
import { differences, valueText } from "../../replay/difference.ts"

const LINES_MAX = 3000
/** The most characters of a line. */
const CHARS_MAX = 2000
const DIFFERENCES_MAX = 200

interface Line {
  readonly sign: " " | "+" | "-"
  readonly text: string
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const cut = (text: string): string =>
  harmless(
    text.length <= CHARS_MAX ? text : `${text.slice(0, CHARS_MAX)}… (${text.length - CHARS_MAX} characters more)`
  )

interface Member {
  readonly name: string | null
  readonly before: unknown
  readonly after: unknown
}

const membersOf = (before: unknown, after: unknown): ReadonlyArray<Member> | null => {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    return Array.from({ length }, (_, index): Member => ({ name: null, before: before[index], after: after[index] }))
  }
  if (!isFields(before) || !isFields(after)) return null
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].map((name): Member => ({ name, before: before[name], after: after[name] }))
}

const head = (name: string | null): string => (name === null ? "" : `${JSON.stringify(name)}: `)

const linesOf = ({ name, before, after }: Member, depth: number, end: string): ReadonlyArray<Line> => {
  const indent = "  ".repeat(depth)
  const members = membersOf(before, after)
  if (members !== null && members.length > 0) {
    const [open, close] = Array.isArray(after) ? ["[", "]"] : ["{", "}"]
    const inner = members.flatMap((member, place) =>
      linesOf(member, depth + 1, place === members.length - 1 ? "" : ",")
    )
    return [
      { sign: " ", text: `${indent}${head(name)}${open}` },
      ...inner,
      { sign: " ", text: `${indent}${close}${end}` }
    ]
  }
  const whole = (sign: Line["sign"], value: unknown): ReadonlyArray<Line> =>
    value === undefined
      ? []
      : `${head(name)}${JSON.stringify(value, null, 2)}${end}`
          .split("\n")
          .map((text) => ({ sign, text: indent + text }))
  return differences(before, after).length === 0 ? whole(" ", after) : [...whole("-", before), ...whole("+", after)]
}

const lineHtml = ({ sign, text }: Line): Html => {
  const shownText = cut(text)
  if (sign === "+") return html`<ins>+ ${shownText}</ins>`
  return sign === "-" ? html`<del>- ${shownText}</del>` : html`<span>${shownText}</span>`
}

/** `undefined` stands for the state before the first commit of a kind without an initial state. */
export const jsonView = (before: unknown, after: unknown, name: string): Html => {
  const lines = linesOf({ name: null, before, after }, 0, "")
  const more = lines.length - LINES_MAX
  return html`<pre class="json" role="region" tabindex="0" aria-label="${name}">${lines
    .slice(0, LINES_MAX)
    .map(lineHtml)}</pre>
${more <= 0 ? null : html`<p class="faint">${more} lines more. <code>hub replay --at --json</code> shows all of it.</p>\n`}`
}

export const differencesView = (before: unknown, after: unknown, title: string): Html => {
  const all = differences(before, after)
  if (all.length === 0) return html`<p>Nothing differs.</p>\n`
  const rows = all.slice(0, DIFFERENCES_MAX).map(
    (
      one
    ) => html`<tr><th scope="row"><code>${one.path || "(all)"}</code></th><td><code>${cut(valueText(one.before))}</code></td>
<td><code>${cut(valueText(one.after))}</code></td></tr>
`
  )
  const more = all.length - DIFFERENCES_MAX
  return html`<div class="wide" role="region" tabindex="0" aria-label="${title}"><table class="told"><caption>${title}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
<tbody>${rows}</tbody></table></div>
${more <= 0 ? null : html`<p class="faint">${more} differences more.</p>\n`}`
}

export const linesView = (lines: ReadonlyArray<string>, name: string): Html =>
  html`<pre class="json" role="region" tabindex="0" aria-label="${name}">${lines.map(cut).join("\n")}</pre>
`
