/** A sign for an agent or a person: the first letter of the name, on a ground that follows from the name. */
import { html, type Html } from "../html.ts"

const GROUNDS = 6

const groundOf = (name: string): number =>
  [...name].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 997, 7) % GROUNDS

export const face = (name: string): Html => {
  const [first = "?"] = [...name.trim()]
  return html`<span class="face face-${String(groundOf(name))}" aria-hidden="true">${first.toUpperCase()}</span>`
}
