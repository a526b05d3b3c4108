/** Line drawings of 24 units in the color of the text beside them. They are decoration, with a text beside them. */
import { html, type Html, markup } from "../html.ts"

const LINES = {
  agents:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c.6-3.6 3-5.5 6.5-5.5s5.9 1.9 6.5 5.5M16 4.8a3.5 3.5 0 0 1 0 6.4M18.5 15c1.7.8 2.7 2.5 3 5"/>',
  mail: '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3.5 7.5 8.5 6 8.5-6"/>',
  vault: '<rect x="4.5" y="10.5" width="15" height="10" rx="2"/><path d="M8 10.5V7.5a4 4 0 0 1 8 0v3M12 14.5v2"/>',
  compartment: '<path d="m12 3 8.5 4.5v9L12 21l-8.5-4.5v-9zM3.7 7.6 12 12l8.3-4.4M12 12v9"/>',
  settings:
    '<path d="M4 7h9M18 7h2M4 17h2M11 17h9"/><circle cx="15.5" cy="7" r="2.3"/><circle cx="8.5" cy="17" r="2.3"/>',
  question: '<path d="M4 5h16v11H11l-4.5 4v-4H4z"/><path d="M8 9h8M8 12h5"/>',
  picture:
    '<rect x="3.5" y="4.5" width="17" height="15" rx="2"/><circle cx="9" cy="10" r="1.6"/><path d="m4 17 5-4 3.5 3 3-2.5L20 17"/>',
  owner: '<circle cx="12" cy="8" r="4"/><path d="M4.5 20.5c.7-4 3.4-6 7.5-6s6.8 2 7.5 6"/>',
  done: '<circle cx="12" cy="12" r="9"/><path d="m8 12.3 2.8 2.7L16 9.5"/>'
} as const

export type Icon = keyof typeof LINES

const ICONS = new Map(Object.entries(LINES).map(([name, lines]) => [name, markup(lines)]))

export const icon = (name: Icon): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">${ICONS.get(name) ?? ""}</svg>`
