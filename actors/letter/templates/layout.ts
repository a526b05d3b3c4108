/** The two forms of a letter: plain text, and HTML without pictures and without colors, so that dark mode works. */
import type { Draft } from "./template.ts"
import { escaped } from "../../kit/escaped.ts"

export interface Laid {
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface Around {
  readonly service: string
  readonly href: string
  /** Seconds for which the link is valid; 0 if it is valid as long as the page exists. */
  readonly seconds: number
}

/** A duration in words, in the largest unit without a remainder. */
export const spoken = (seconds: number): string => {
  const [count, unit] =
    seconds % 3600 === 0
      ? [seconds / 3600, "hour"]
      : seconds % 60 === 0
        ? [seconds / 60, "minute"]
        : [seconds, "second"]
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

const STYLE =
  ":root{color-scheme:light dark}body{font:16px/1.5 sans-serif;max-width:36em;margin:0 auto;padding:16px;" +
  "overflow-wrap:anywhere}footer{font-size:14px}"

export const laidOut = ({ subject, paragraphs, link, why }: Draft, { service, href, seconds }: Around): Laid => {
  const holds = `The link holds for ${spoken(seconds)}.`
  const asks = `Nobody at ${service} ever asks for your password, in a letter or elsewhere.`
  const until = seconds > 0 ? [holds] : []
  const linked = link === undefined ? [] : [`${link.label}:\n${href}`, ...until]
  const button =
    link === undefined ? [] : [`<a href="${escaped(href)}">${escaped(link.label)}</a>`, ...until.map(escaped)]
  const body = [...paragraphs.map(escaped), ...button].map((one) => `<p>${one}</p>`).join("\n")
  const foot = [why, asks].map((one) => `<p>${escaped(one)}</p>`).join("\n")
  return {
    subject,
    text: `${[...paragraphs, ...linked, `-- \n${why}`, asks].join("\n\n")}\n`,
    html:
      '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n' +
      '<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n' +
      `<title>${escaped(subject)}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n<main>\n${body}\n</main>\n` +
      `<footer>\n<hr>\n${foot}\n</footer>\n</body>\n</html>\n`
  }
}
