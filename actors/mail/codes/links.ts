/** Finds the links of a message: those of its HTML with their texts, then those that only its text has. */
import type { MailLink } from "../../../schemas/mail/records.ts"
import type { Anchor } from "./html.ts"
import { type Kind, kindOf, type LinkContext } from "./kinds.ts"
import { type Line, urlsIn } from "./lines.ts"

const URL_MAX_CHARS = 2048
const LINKS_MAX = 500
/** The most addresses that are examined, repeated ones included. */
const SEEN_MAX = 1500
const TEXT_MAX_CHARS = 200
const AROUND_MAX_CHARS = 240

interface SeenLink extends LinkContext {
  readonly href: string
  /** An address at a line's end, joined with the first word of the next line. */
  readonly joined?: string
}

/** The parsed address, or `null` if it is too long or not an address of a website. Its host is an A-label. */
const addressOf = (href: string): URL | null => {
  if (href.length > 2 * URL_MAX_CHARS) return null
  const url = URL.parse(href.trim())
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null
  return url.hostname === "" || url.href.length > URL_MAX_CHARS ? null : url
}

const inLines = (lines: ReadonlyArray<Line>): ReadonlyArray<SeenLink> =>
  lines.flatMap(({ text, hidden }, index) =>
    hidden
      ? []
      : urlsIn(text.toLowerCase()).map(({ from, to }) => ({
          href: text.slice(from, to),
          text: "",
          before: text.slice(Math.max(0, from - AROUND_MAX_CHARS), from),
          after: text.slice(to, to + AROUND_MAX_CHARS),
          above: (lines[index - 1]?.text ?? "").slice(-AROUND_MAX_CHARS),
          ...(text.slice(to).trim() === ""
            ? { joined: text.slice(from, to) + (lines[index + 1]?.text.trim().split(/\s/, 1)[0] ?? "") }
            : {})
        }))
  )

const oneLine = (text: string): string => text.replaceAll(/\s/g, " ").slice(0, TEXT_MAX_CHARS).toWellFormed().trim()

/** True if this link has more information than a known one with the same address, such as a button beside a logo. */
const isBetter = (kind: Kind, text: string, known: MailLink): boolean =>
  known.kind === "other"
    ? kind !== "other" || (known.text === "" && text !== "")
    : known.text === "" && text !== "" && kind === known.kind

export const linksIn = (
  anchors: ReadonlyArray<Anchor>,
  parts: ReadonlyArray<ReadonlyArray<Line>>
): ReadonlyArray<MailLink> => {
  const found = new Map<string, MailLink>()
  const shown = anchors.slice(0, SEEN_MAX).flatMap(({ href }) => addressOf(href)?.href ?? [])
  /** True if a line of the text has only the beginning of an address that the HTML has completely. */
  const isCutOff = ({ href, joined }: SeenLink): boolean => {
    const whole = joined === undefined || joined === href ? null : addressOf(joined)
    return whole !== null && shown.some((known) => known.startsWith(whole.href))
  }
  for (const seen of [...anchors, ...parts.flatMap(inLines)].slice(0, SEEN_MAX)) {
    const url = addressOf(seen.href)
    if (url === null || isCutOff(seen)) continue
    const known = found.get(url.href)
    if (known === undefined && found.size >= LINKS_MAX) continue
    if (known !== undefined && known.kind !== "other" && known.text !== "") continue
    const kind = kindOf(url, seen)
    const text = oneLine(seen.text)
    if (known === undefined || isBetter(kind, text, known))
      found.set(url.href, { url: url.href, host: url.hostname, kind, text })
  }
  return [...found.values()]
}
