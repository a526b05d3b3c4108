/** Times for people. They are in UTC, because the reader's time zone is unknown. */
import { html, type Html } from "./html.ts"

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" })
const MINUTE = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })

const minuteOf = (iso: string): string => `${MINUTE.format(new Date(iso))} UTC`

/** A date whose tooltip shows the time of day. */
export const day = (iso: string): Html =>
  html`<time datetime="${iso}" title="${minuteOf(iso)}">${DAY.format(new Date(iso))}</time>`
export const minute = (iso: string): Html => html`<time datetime="${iso}">${minuteOf(iso)}</time>`
