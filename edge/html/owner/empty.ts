/** Stands in place of an empty list, and says what a person can do. */
import { html, type Html } from "../html.ts"
import { type Icon, icon } from "./icons.ts"

export const emptyPlace = (drawing: Icon, text: Html | string): Html =>
  html`<div class="empty">${icon(drawing)}<p>${text}</p></div>\n`
