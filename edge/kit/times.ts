/** Times for people: in UTC, since the reader's own zone is not known here. */
import { html, type Html } from "./html.ts"

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" })
const MINUTE = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })

const minuteOf = (iso: string): string => `${MINUTE.format(new Date(iso))} UTC`

/** The hour shows where it is pointed at. */
export const day = (iso: string): Html =>
  html`<time datetime="${iso}" title="${minuteOf(iso)}">${DAY.format(new Date(iso))}</time>`
export const minute = (iso: string): Html => html`<time datetime="${iso}">${minuteOf(iso)}</time>`
