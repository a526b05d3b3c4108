/** Small signs of the owner's pages: a state in color, an agent's initial, and a hint in place of an empty list. */
import { html, type Html } from "../html.ts"
import { type Icon, icon } from "./icons.ts"

export type Tone = "good" | "bad" | "open" | "plain"

export const chip = (text: string, tone: Tone): Html => html`<span class="chip ${tone}">${text}</span>`

export const chips = (...all: ReadonlyArray<Html>): Html => html`<p class="chips">${all.map((one) => [one, " "])}</p>\n`

const GROUNDS = 6

const groundOf = (name: string): number =>
  [...name].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 997, 7) % GROUNDS

/** The first letter of a name on a background whose color depends on the name. */
export const face = (name: string): Html => {
  const [first = "?"] = [...name.trim()]
  return html`<span class="face face-${String(groundOf(name))}" aria-hidden="true">${first.toUpperCase()}</span>`
}

/** `text` tells the person what to do. */
export const emptyPlace = (drawing: Icon, text: Html | string): Html =>
  html`<div class="empty">${icon(drawing)}<p>${text}</p></div>\n`
