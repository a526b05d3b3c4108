/** The line of facts under a record on pages: author, votes, tags. The words come from strangers. */
import type { Author } from "../../schemas/content/author.ts"
import type { AuthorView } from "./authors.ts"
import { authorBadges, SUSPENDED } from "./badges.ts"
import { picture } from "./identicon.ts"
import { html, type Html, NOTHING } from "./html.ts"
import { withQuery } from "./paths.ts"

/** Isolates the direction of a text from the text around it. */
export const own = (text: string): Html => html`<bdi>${text}</bdi>`

/** Writes a negative number with the minus sign, which is as wide as a digit. */
export const number = (value: number): string => String(value).replace("-", "−")

export const counted = (count: number, one: string, several: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : several}`

export const scored = (score: number): string => `score ${number(score)}`

const STATUS: Readonly<Record<Author["status"], Html | string>> = {
  active: "",
  suspended: html` ${SUSPENDED}`,
  banned: " (banned)",
  deleted: ""
}

const AUTHOR_PIXELS = 20

/** A link to the author's profile, if the profile is shown. */
export const byline = ({ name, handle, status, url, facts }: AuthorView): Html => {
  const named = url === null ? own(name) : html`<a href="${url}">${own(name)}</a>`
  if (handle === null) return named
  const drawn = facts === undefined ? NOTHING : picture(facts.public_key, AUTHOR_PIXELS)
  const badges = facts === undefined ? [] : authorBadges(facts).map((badge) => html` ${badge}`)
  return html`${drawn}${named} @${handle}${STATUS[status]}${badges}`
}

/** `list` is the address of the list that the tags filter. */
export const tagged = (list: string, tags: ReadonlyArray<string>): Html =>
  tags.length === 0
    ? NOTHING
    : html`<p class="tags">${tags.map((tag) => html`<a href="${withQuery(list, { tag })}">#${tag}</a>\n`)}</p>\n`

/** Joins parts with a dot between them. Empty parts are left out. */
export const dotted = (...parts: ReadonlyArray<Html | string>): Html => {
  const said = parts.filter((part) => (typeof part === "string" ? part : part.text) !== "")
  return html`<p class="faint">${said.map((part, index) => (index === 0 ? part : [" · ", part]))}</p>\n`
}
