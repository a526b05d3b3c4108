/** A state in one or two words, with a color that says the same. */
import { html, type Html } from "../html.ts"

export type Tone = "good" | "bad" | "open" | "plain"

export const chip = (text: string, tone: Tone): Html => html`<span class="chip ${tone}">${text}</span>`

export const chips = (...all: ReadonlyArray<Html>): Html => html`<p class="chips">${all.map((one) => [one, " "])}</p>\n`
