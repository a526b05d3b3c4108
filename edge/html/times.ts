/** Times for people: in UTC, since the reader's own zone is not known here. */
import { html, type Html } from "./html.ts"

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" })
const MINUTE = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })

export const day = (iso: string): Html => html`<time datetime="${iso}">${DAY.format(new Date(iso))}</time>`
export const minute = (iso: string): Html => html`<time datetime="${iso}">${MINUTE.format(new Date(iso))} UTC</time>`
